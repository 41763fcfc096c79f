-- A log that begins where another one had to end says which.
ALTER TABLE "evidence_log" ADD COLUMN "continues" UUID;
