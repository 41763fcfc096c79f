-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "key_thumbprint" TEXT;
