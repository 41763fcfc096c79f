-- Who made each API key, and which key it took the place of: nobody decides an approval that a key of his has asked for. Of keys from
-- before it is not known. No foreign keys: keys are never deleted, and both are written with the key.
ALTER TABLE "api_key" ADD COLUMN "created_by_id" UUID, ADD COLUMN "rolled_from_id" UUID;
