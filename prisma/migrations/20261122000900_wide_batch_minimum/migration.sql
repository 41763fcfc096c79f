-- Members named _cents are safe integers: 32 bits end at 21 million.
ALTER TABLE "settlement_window" ALTER COLUMN "min_batch_amount_cents" SET DATA TYPE BIGINT;
