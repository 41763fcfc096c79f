-- Prices that skills had until a while ago: who read one of them is not charged more.
CREATE TABLE "skill_price" (
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "skill_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "price" BIGINT,
    "currency" TEXT,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "skill_price_pkey" PRIMARY KEY ("workspace_id","agent_id","skill_id","id")
);

ALTER TABLE "skill_price" ADD CONSTRAINT "skill_price_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;
