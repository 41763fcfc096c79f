-- Merchants whose catalogue anybody may read: their ids are shown without a credential.
ALTER TYPE directory_kind ADD VALUE 'merchant';
