-- Which side captures a hold, and what the payer says to both. Holds of before keep the rule that they were made under: null.
CREATE TYPE "capture_by" AS ENUM ('payer', 'payee');
ALTER TABLE "transfer" ADD COLUMN "capture_by" "capture_by", ADD COLUMN "shared_metadata" JSONB;
