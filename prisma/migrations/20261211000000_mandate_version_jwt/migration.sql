-- AlterTable
ALTER TABLE "mandate_version" ADD COLUMN     "sealed_jwt" BYTEA;
