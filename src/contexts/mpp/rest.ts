// The REST face of mpp.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('mpp', 'Payment sessions of MPP and their vouchers, and one-off payments.');
