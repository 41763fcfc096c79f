-- expand
-- CreateTable
CREATE TABLE "data_key" (
    "id" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "data_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "data_key_wrap" (
    "data_key_id" INTEGER NOT NULL,
    "master" TEXT NOT NULL,
    "wrapped" BYTEA NOT NULL,

    CONSTRAINT "data_key_wrap_pkey" PRIMARY KEY ("data_key_id","master")
);

-- CreateTable
CREATE TABLE "process" (
    "id" UUID NOT NULL,
    "version" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "key_ids" TEXT[],
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "process_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "data_key_wrap" ADD CONSTRAINT "data_key_wrap_data_key_id_fkey" FOREIGN KEY ("data_key_id") REFERENCES "data_key"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
