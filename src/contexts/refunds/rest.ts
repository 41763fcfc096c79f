// The REST face of refunds.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('refunds', 'Money that goes back: refunds, and the disputes that may lead to them.');
