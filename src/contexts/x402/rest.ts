// The REST face of x402.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('x402', 'x402: endpoints that are paid per call, and payments for them.');
