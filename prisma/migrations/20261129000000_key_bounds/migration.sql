-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "allowed_ips" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "created_by_member_id" UUID,
ADD COLUMN     "last_used_ip" TEXT;
