-- What an agent sees of the checkouts is read by index, however many others there are: those that it began, is named in or pays, and
-- those of merchants of its account.

-- CreateIndex
CREATE INDEX "checkout_workspace_id_merchant_account_id_id_idx" ON "checkout"("workspace_id", "merchant_account_id", "id");

CREATE INDEX checkout_creator_agent ON checkout (workspace_id, creator_agent_id, id) WHERE creator_agent_id IS NOT NULL;
CREATE INDEX checkout_agent ON checkout (workspace_id, agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX checkout_payer_agent ON checkout (workspace_id, payer_agent_id, id) WHERE payer_agent_id IS NOT NULL;

-- Made again after the indexes: while a table is empty each of them seems as good as the key, and the youngest is taken (decision 0017).
ALTER TABLE "checkout" DROP CONSTRAINT "checkout_pkey";
ALTER TABLE "checkout" ADD CONSTRAINT "checkout_pkey" PRIMARY KEY ("workspace_id", "id");
