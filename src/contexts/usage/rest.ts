// The REST face of usage.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('usage', 'What was used: operations, their sums, what others took for them, and what one trace did.');
