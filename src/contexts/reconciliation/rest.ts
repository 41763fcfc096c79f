// The REST face of reconciliation.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('reconciliation', 'What the ledger says of a rail, held against what the statement of the rail says.');
