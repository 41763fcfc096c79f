// The REST face of streams.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('streams', 'Money that flows from one wallet to another by the second.');
