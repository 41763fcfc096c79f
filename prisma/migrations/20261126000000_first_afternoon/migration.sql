-- What a request of its own would have been answered with, beside the code and the sentence of an item that failed.
ALTER TABLE "batch_item" ADD COLUMN "error_details" JSONB;

-- Which part of a signature did not fit.
ALTER TABLE "card_verification" ADD COLUMN "rejection_details" JSONB;
