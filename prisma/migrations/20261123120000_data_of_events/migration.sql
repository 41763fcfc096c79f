-- An event whose data is that of another one names it, and has none of its own (decision 0057). No row of before has to be looked at: each
-- has its data.
ALTER TABLE "event" ADD COLUMN "data_of" UUID, ALTER COLUMN "data" DROP NOT NULL;
ALTER TABLE event ADD CONSTRAINT event_has_data CHECK ((data IS NULL) <> (data_of IS NULL)) NOT VALID;
-- The one that is named has the greater id: a sweep, in the order of ids, never takes the data away first.
ALTER TABLE event ADD CONSTRAINT event_data_outlives CHECK (data_of > id) NOT VALID;
