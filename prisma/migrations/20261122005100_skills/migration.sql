-- CreateTable
CREATE TABLE "skill" (
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "tags" TEXT[],
    "input_schema" JSONB,
    "output_schema" JSONB,
    "price" BIGINT,
    "currency" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL
);

-- CreateTable
CREATE TABLE "agent_rating" (
    "workspace_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "count" INTEGER NOT NULL,
    "total" INTEGER NOT NULL,
    "average" INTEGER NOT NULL,

    CONSTRAINT "agent_rating_pkey" PRIMARY KEY ("workspace_id","agent_id")
);

-- CreateIndex
CREATE INDEX "skill_workspace_id_id_agent_id_idx" ON "skill"("workspace_id", "id", "agent_id");

-- Made after the index (decision 0017).
ALTER TABLE "skill" ADD CONSTRAINT "skill_pkey" PRIMARY KEY ("workspace_id", "agent_id", "id");

-- AddForeignKey
ALTER TABLE "skill" ADD CONSTRAINT "skill_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "agent_rating" ADD CONSTRAINT "agent_rating_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agent"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE skill ADD CONSTRAINT skill_id CHECK (id ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$');
ALTER TABLE skill ADD CONSTRAINT skill_price CHECK ((price IS NULL) = (currency IS NULL) AND (price IS NULL OR price > 0));
ALTER TABLE agent_rating ADD CONSTRAINT agent_rating_sums CHECK (count > 0 AND total BETWEEN count AND 5 * count AND average = 100 * total / count);

-- Skills stood in the agent as names or objects of any shape. What can be an id becomes a skill.
INSERT INTO skill (workspace_id, agent_id, id, place, name, description, tags, created_at, updated_at)
SELECT workspace_id, agent_id, id, place, name, description, '{}', updated_at, updated_at
FROM (
  SELECT DISTINCT ON (a.workspace_id, a.id, given.id) a.workspace_id, a.id AS agent_id, given.id, given.place - 1 AS place, a.updated_at,
    coalesce(given.skill ->> 'name', given.id) AS name, coalesce(given.skill ->> 'description', given.skill ->> 'name', given.id) AS description
  FROM agent a CROSS JOIN LATERAL (
    SELECT one.place, one.skill, left(ltrim(
      regexp_replace(coalesce(one.skill ->> 'id', one.skill ->> 'name', one.skill #>> '{}'), '[^A-Za-z0-9._:-]+', '-', 'g'), '._:-'), 64) AS id
    FROM jsonb_array_elements(a.skills) WITH ORDINALITY AS one (skill, place)
  ) given
  WHERE given.id <> '' AND given.place <= 32
  ORDER BY a.workspace_id, a.id, given.id, given.place
) told;

-- AlterTable
ALTER TABLE "agent" DROP COLUMN "skills";
