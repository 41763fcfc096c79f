-- What becomes of an x402 payment when its transfer ends is said where transfers end.
DROP TRIGGER end_x402_payment ON transfer;
DROP FUNCTION end_x402_payment();
