// The REST face of checkouts.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('checkouts', 'Checkouts by ACP and UCP: begun, paid, and what follows.');
