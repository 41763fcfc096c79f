-- A shop has an origin: hosts at which its merchant alone is seen. The directory says of which merchant a host is (decision 0088).
ALTER TABLE merchant ADD COLUMN shop_hosts text[] NOT NULL DEFAULT '{}';
ALTER TYPE directory_kind ADD VALUE 'shop_host';

-- The list of an account's merchants begins with the account: what looks up a merchant by its key cannot take this index (decision 0017).
DROP INDEX merchant_workspace_id_account_id_id_idx;
CREATE INDEX merchant_account_id_workspace_id_id_idx ON merchant (account_id, workspace_id, id);
