-- Refunds of payments by card (src/contexts/refunds): money that goes back to a card over the rail of its processor.

-- CreateEnum
CREATE TYPE "card_refund_status" AS ENUM ('pending', 'paid', 'failed');

-- CreateTable
CREATE TABLE "card_refund" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "charge_id" UUID NOT NULL,
    "status" "card_refund_status" NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "rail" TEXT NOT NULL,
    "rail_reference" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "submissions" INTEGER NOT NULL DEFAULT 0,
    "asked" INTEGER NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "returned_at" TIMESTAMPTZ(3),
    "lane" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "card_refund_workspace_id_charge_id_id_idx" ON "card_refund"("workspace_id", "charge_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "card_refund_workspace_id_transfer_id_key" ON "card_refund"("workspace_id", "transfer_id");

CREATE UNIQUE INDEX card_refund_reference ON card_refund (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
CREATE INDEX card_refund_due ON card_refund (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_refund_due_workspace ON card_refund (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_refund_lane ON card_refund (lane, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_refund_leased ON card_refund (workspace_id, lane) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "card_refund" ADD CONSTRAINT "card_refund_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "card_refund" ADD CONSTRAINT "card_refund_workspace_id_charge_id_fkey" FOREIGN KEY ("workspace_id", "charge_id") REFERENCES "card_charge"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE card_refund ADD CONSTRAINT card_refund_amount CHECK (amount > 0 AND (returned_at IS NULL OR status = 'paid'));

-- Which charge, over which rail and how much never changes; a final status stays, and it comes back once.
CREATE FUNCTION guard_card_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.charge_id, NEW.amount, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.charge_id, OLD.amount, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'the amount and the parties of a card refund never change' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status <> 'pending' OR NEW.returned_at IS DISTINCT FROM OLD.returned_at AND OLD.returned_at IS NOT NULL THEN
    RAISE EXCEPTION 'card refund % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON card_refund FOR EACH ROW EXECUTE FUNCTION guard_card_refund();
CREATE TRIGGER immutable BEFORE DELETE ON card_refund FOR EACH ROW EXECUTE FUNCTION refuse_change();
