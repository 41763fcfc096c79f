-- background
-- Rows of before fit, too.
ALTER TABLE x402_payment VALIDATE CONSTRAINT x402_payment_settled;
