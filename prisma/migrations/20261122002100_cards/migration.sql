-- Cards (src/contexts/cards): what accounts pay with outside of their wallets, and what it is charged.

-- CreateEnum
CREATE TYPE "card_charge_status" AS ENUM ('pending', 'paid', 'failed');

-- AlterTable
ALTER TABLE "transfer" ADD COLUMN     "card_charge_id" UUID;

-- CreateTable
CREATE TABLE "vaulted_card" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "agent_id" UUID,
    "processor" TEXT NOT NULL,
    "sealed_token" BYTEA,
    "card_last_four" TEXT NOT NULL,
    "card_brand" TEXT NOT NULL,
    "expiry_month" INTEGER NOT NULL,
    "expiry_year" INTEGER NOT NULL,
    "label" TEXT,
    "billing_address" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "card_charge" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "card_id" UUID NOT NULL,
    "merchant_id" UUID NOT NULL,
    "wallet_id" UUID NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "status" "card_charge_status" NOT NULL,
    "amount" BIGINT NOT NULL,
    "fee" BIGINT NOT NULL,
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
    "shortfall" BIGINT NOT NULL DEFAULT 0,
    "lane" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateIndex
CREATE INDEX "vaulted_card_workspace_id_account_id_id_idx" ON "vaulted_card"("workspace_id", "account_id", "id");

-- CreateIndex
CREATE INDEX "vaulted_card_workspace_id_agent_id_id_idx" ON "vaulted_card"("workspace_id", "agent_id", "id");

-- CreateIndex
CREATE INDEX "card_charge_workspace_id_card_id_id_idx" ON "card_charge"("workspace_id", "card_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "card_charge_workspace_id_transfer_id_key" ON "card_charge"("workspace_id", "transfer_id");

CREATE UNIQUE INDEX card_charge_reference ON card_charge (workspace_id, rail, rail_reference) WHERE rail_reference IS NOT NULL;
-- A thing is paid for once: a charge that failed may be followed by another one.
CREATE UNIQUE INDEX card_charge_subject ON card_charge (workspace_id, subject_type, subject_id) WHERE status <> 'failed';
-- What keeps a wallet from being closed.
CREATE INDEX card_charge_open ON card_charge (workspace_id, wallet_id) WHERE status = 'pending';
CREATE INDEX card_charge_due ON card_charge (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_charge_due_workspace ON card_charge (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_charge_lane ON card_charge (lane, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX card_charge_leased ON card_charge (workspace_id, lane) WHERE lease_until IS NOT NULL;
-- What an account has paid without a wallet.
CREATE INDEX transfer_from_outside ON transfer (workspace_id, from_account_id, id) WHERE from_account_id IS NOT NULL AND from_wallet_id IS NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "vaulted_card" ADD CONSTRAINT "vaulted_card_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "card_charge" ADD CONSTRAINT "card_charge_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "vaulted_card" ADD CONSTRAINT "vaulted_card_workspace_id_account_id_fkey" FOREIGN KEY ("workspace_id", "account_id") REFERENCES "account"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "vaulted_card" ADD CONSTRAINT "vaulted_card_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "card_charge" ADD CONSTRAINT "card_charge_workspace_id_card_id_fkey" FOREIGN KEY ("workspace_id", "card_id") REFERENCES "vaulted_card"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE vaulted_card ADD CONSTRAINT vaulted_card_last_four CHECK (card_last_four ~ '^[0-9]{4}$' AND expiry_month BETWEEN 1 AND 12);
-- The token of a deleted card is gone, and no other card is without one.
ALTER TABLE vaulted_card ADD CONSTRAINT vaulted_card_token CHECK ((sealed_token IS NULL) = (deleted_at IS NOT NULL));
ALTER TABLE card_charge ADD CONSTRAINT card_charge_amount
  CHECK (amount > 0 AND fee BETWEEN 0 AND amount AND shortfall BETWEEN 0 AND amount AND (returned_at IS NULL OR status = 'paid'));

-- A card is deleted once and for all; nothing else of it changes.
CREATE FUNCTION guard_vaulted_card() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.deleted_at IS NOT NULL AND NEW IS DISTINCT FROM OLD
     OR (NEW.id, NEW.workspace_id, NEW.account_id, NEW.agent_id, NEW.processor, NEW.card_last_four, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.account_id, OLD.agent_id, OLD.processor, OLD.card_last_four, OLD.created_at) THEN
    RAISE EXCEPTION 'a vaulted card never changes' USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON vaulted_card FOR EACH ROW EXECUTE FUNCTION guard_vaulted_card();
CREATE TRIGGER immutable BEFORE DELETE ON vaulted_card FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Which card, whom it pays, how much and for what never changes; a final status stays, and it comes back once.
CREATE FUNCTION guard_card_charge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.transfer_id, NEW.card_id, NEW.merchant_id, NEW.wallet_id, NEW.subject_type, NEW.subject_id,
      NEW.amount, NEW.fee, NEW.currency, NEW.rail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.transfer_id, OLD.card_id, OLD.merchant_id, OLD.wallet_id, OLD.subject_type,
      OLD.subject_id, OLD.amount, OLD.fee, OLD.currency, OLD.rail, OLD.created_at) THEN
    RAISE EXCEPTION 'the amount and the parties of a card charge never change' USING ERRCODE = 'AP010';
  END IF;
  IF NEW.status <> OLD.status AND OLD.status <> 'pending' OR NEW.returned_at IS DISTINCT FROM OLD.returned_at AND OLD.returned_at IS NOT NULL THEN
    RAISE EXCEPTION 'card charge % is %', OLD.id, OLD.status USING ERRCODE = 'AP010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard BEFORE UPDATE ON card_charge FOR EACH ROW EXECUTE FUNCTION guard_card_charge();
CREATE TRIGGER immutable BEFORE DELETE ON card_charge FOR EACH ROW EXECUTE FUNCTION refuse_change();
