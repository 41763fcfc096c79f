// The REST face of spending.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('spending', 'What may be spent: policies, caps by KYA tier, and what is left of them.');
