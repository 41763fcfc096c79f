// The REST face of analytics.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'analytics',
  'What moved by each protocol, and what became of checkouts: for dashboards of the whole workspace.',
);
