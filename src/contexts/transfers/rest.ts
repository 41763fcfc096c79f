// The REST face of transfers.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('transfers', 'Money from one wallet to another: at once, on capture, or at a set time.');
