// The REST face of identity.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('identity', 'API keys, the sessions that they open, and the portal tokens of customers.');
