-- AlterEnum
ALTER TYPE "initiator_type" ADD VALUE 'member';
