// The REST face of webhooks.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('webhooks', 'Webhook subscriptions and their deliveries.');
