-- AlterTable
ALTER TABLE "workspace" ADD COLUMN "actor_rate" INTEGER,
ADD COLUMN "workspace_rate" INTEGER;

ALTER TABLE "workspace"
  ADD CONSTRAINT "workspace_actor_rate" CHECK ("actor_rate" > 0),
  ADD CONSTRAINT "workspace_workspace_rate" CHECK ("workspace_rate" > 0);
