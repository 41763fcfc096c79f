-- CreateEnum
CREATE TYPE "mpp_session_status" AS ENUM ('pending', 'open', 'closing', 'closed', 'expired');

-- CreateTable
CREATE TABLE "mpp_session" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "service_url" TEXT NOT NULL,
    "wallet_id" UUID NOT NULL,
    "payee_wallet_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "payee_account_id" UUID NOT NULL,
    "wallet_agent_id" UUID,
    "payee_agent_id" UUID,
    "agent_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "escrow_account_id" UUID NOT NULL,
    "status" "mpp_session_status" NOT NULL,
    "status_reason" TEXT,
    "deposited" BIGINT NOT NULL,
    "accepted" BIGINT NOT NULL DEFAULT 0,
    "settled" BIGINT NOT NULL DEFAULT 0,
    "returned" BIGINT NOT NULL DEFAULT 0,
    "max_voucher" BIGINT,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "voucher_key" BYTEA NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "approval_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3)
);

-- CreateTable
CREATE TABLE "mpp_deposit" (
    "workspace_id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "session_id" UUID NOT NULL
);

-- CreateTable
CREATE TABLE "mpp_voucher" (
    "workspace_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "sequence" INTEGER NOT NULL,
    "amount" BIGINT NOT NULL,
    "cumulative_amount" BIGINT NOT NULL,
    "description" TEXT,
    "request_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateIndex
CREATE INDEX "mpp_session_workspace_id_wallet_id_id_idx" ON "mpp_session"("workspace_id", "wallet_id", "id");

-- CreateIndex
CREATE INDEX "mpp_session_workspace_id_payee_wallet_id_id_idx" ON "mpp_session"("workspace_id", "payee_wallet_id", "id");

-- CreateIndex
CREATE INDEX "mpp_session_workspace_id_status_id_idx" ON "mpp_session"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "mpp_session_workspace_id_agent_id_id_idx" ON "mpp_session"("workspace_id", "agent_id", "id");

-- CreateIndex
CREATE INDEX "mpp_deposit_workspace_id_session_id_transfer_id_idx" ON "mpp_deposit"("workspace_id", "session_id", "transfer_id");

-- CreateIndex
CREATE UNIQUE INDEX "mpp_voucher_workspace_id_session_id_sequence_key" ON "mpp_voucher"("workspace_id", "session_id", "sequence");

-- What belongs to agents by their wallets.
CREATE INDEX mpp_session_wallet_agent ON mpp_session (workspace_id, wallet_agent_id, id) WHERE wallet_agent_id IS NOT NULL;
CREATE INDEX mpp_session_payee_agent ON mpp_session (workspace_id, payee_agent_id, id) WHERE payee_agent_id IS NOT NULL;
CREATE UNIQUE INDEX mpp_voucher_request ON mpp_voucher (workspace_id, session_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX mpp_session_due ON mpp_session (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX mpp_session_due_workspace ON mpp_session (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
CREATE INDEX mpp_session_leased ON mpp_session (workspace_id) WHERE lease_until IS NOT NULL;

-- Made after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "mpp_session" ADD CONSTRAINT "mpp_session_pkey" PRIMARY KEY ("workspace_id", "id");
ALTER TABLE "mpp_deposit" ADD CONSTRAINT "mpp_deposit_pkey" PRIMARY KEY ("workspace_id", "transfer_id");
ALTER TABLE "mpp_voucher" ADD CONSTRAINT "mpp_voucher_pkey" PRIMARY KEY ("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "mpp_session" ADD CONSTRAINT "mpp_session_workspace_id_wallet_id_fkey" FOREIGN KEY ("workspace_id", "wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "mpp_session" ADD CONSTRAINT "mpp_session_workspace_id_payee_wallet_id_fkey" FOREIGN KEY ("workspace_id", "payee_wallet_id") REFERENCES "wallet"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "mpp_deposit" ADD CONSTRAINT "mpp_deposit_workspace_id_session_id_fkey" FOREIGN KEY ("workspace_id", "session_id") REFERENCES "mpp_session"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "mpp_voucher" ADD CONSTRAINT "mpp_voucher_workspace_id_session_id_fkey" FOREIGN KEY ("workspace_id", "session_id") REFERENCES "mpp_session"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Vouchers never promise more than was put in; what has ended has paid or returned all of it, and is not due.
ALTER TABLE mpp_session ADD CONSTRAINT mpp_session_sums CHECK (
  deposited > 0 AND accepted BETWEEN 0 AND deposited AND settled BETWEEN 0 AND accepted AND returned >= 0
  AND (status IN ('closed', 'expired')) = (settled + returned = deposited)
);
ALTER TABLE mpp_session ADD CONSTRAINT mpp_session_due CHECK (due_at IS NULL OR status IN ('open', 'closing', 'pending'));
ALTER TABLE mpp_voucher ADD CONSTRAINT mpp_voucher_sums CHECK (amount > 0 AND cumulative_amount >= amount);

CREATE TRIGGER immutable BEFORE DELETE ON mpp_session FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON mpp_deposit FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- A voucher is a promise that somebody may hold.
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE ON mpp_voucher FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Compare and set of one voucher: adds p_amount to what was accepted, or brings it up to p_cumulative. It is judged under the lock of the
-- session, so the greatest voucher of a race wins, whichever process took it. Guards come first: a freeze that was answered is seen.
-- outcome: accepted, repeated (the same voucher again, or the highest where less was asked for), not_found, not_open, over_voucher,
-- over_deposit, reused (the name was given to another amount), or guard.
CREATE FUNCTION mpp_accept_voucher(
  p_workspace uuid, p_session uuid, p_at timestamptz, p_id uuid, p_amount bigint, p_cumulative bigint, p_description text, p_request text,
  p_guards jsonb
) RETURNS TABLE (outcome text, status text, accepted bigint, deposited bigint, guard jsonb, voucher jsonb) LANGUAGE plpgsql AS $$
DECLARE
  v_session mpp_session;
  v_voucher mpp_voucher;
  v_guard jsonb;
  v_refusal text;
  v_next bigint;
BEGIN
  FOR v_guard IN SELECT value FROM jsonb_array_elements(p_guards) LOOP
    v_refusal := guard_refusal(p_workspace, v_guard ->> 'kind', (v_guard ->> 'id')::uuid, coalesce((v_guard ->> 'at')::timestamptz, p_at));
    IF v_refusal IS NOT NULL THEN
      RETURN QUERY SELECT 'guard', NULL::text, NULL::bigint, NULL::bigint, v_guard || jsonb_build_object('refusal', v_refusal), NULL::jsonb;
      RETURN;
    END IF;
  END LOOP;
  SELECT * INTO v_session FROM mpp_session s WHERE s.workspace_id = p_workspace AND s.id = p_session FOR NO KEY UPDATE;
  outcome := CASE WHEN v_session.id IS NULL THEN 'not_found' END;
  IF outcome IS NULL AND p_request IS NOT NULL THEN
    SELECT * INTO v_voucher FROM mpp_voucher v
    WHERE v.workspace_id = p_workspace AND v.session_id = p_session AND v.request_id = p_request;
    IF v_voucher.id IS NOT NULL THEN
      outcome := CASE WHEN coalesce(p_amount, p_cumulative) = CASE WHEN p_amount IS NULL THEN v_voucher.cumulative_amount ELSE v_voucher.amount END
        THEN 'repeated' ELSE 'reused' END;
    END IF;
  END IF;
  IF outcome IS NULL THEN
    v_next := coalesce(p_cumulative, v_session.accepted + p_amount);
    outcome := CASE
      WHEN v_session.status <> 'open' OR v_session.expires_at <= p_at THEN 'not_open'
      WHEN v_next > v_session.deposited THEN 'over_deposit'
      WHEN v_next <= v_session.accepted THEN 'repeated'
      WHEN v_next - v_session.accepted > v_session.max_voucher THEN 'over_voucher'
      ELSE 'accepted'
    END;
    IF outcome = 'repeated' THEN
      SELECT * INTO v_voucher FROM mpp_voucher v
      WHERE v.workspace_id = p_workspace AND v.session_id = p_session AND v.sequence = v_session.sequence;
    ELSIF outcome = 'accepted' THEN
      INSERT INTO mpp_voucher (workspace_id, id, session_id, sequence, amount, cumulative_amount, description, request_id, created_at)
      VALUES (p_workspace, p_id, p_session, v_session.sequence + 1, v_next - v_session.accepted, v_next, p_description, p_request, p_at)
      RETURNING * INTO v_voucher;
      UPDATE mpp_session s SET accepted = v_next, sequence = s.sequence + 1, updated_at = p_at
      WHERE s.workspace_id = p_workspace AND s.id = p_session
      RETURNING * INTO v_session;
    END IF;
  END IF;
  RETURN QUERY SELECT outcome, v_session.status::text, v_session.accepted, v_session.deposited, NULL::jsonb,
    CASE WHEN v_voucher.id IS NOT NULL THEN to_jsonb(v_voucher)
      || jsonb_build_object('amount', v_voucher.amount::text, 'cumulative_amount', v_voucher.cumulative_amount::text) END;
END $$;
