-- Where the platform that has paid a checkout by UCP wants to hear of its order, and subscriptions whose deliveries another protocol writes.
ALTER TABLE "checkout" ADD COLUMN "order_webhook" JSONB;
ALTER TABLE "webhook" ADD COLUMN "sender" TEXT;
CREATE INDEX webhook_sender ON webhook (workspace_id, sender, url) WHERE sender IS NOT NULL;
