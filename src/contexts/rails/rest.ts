// The REST face of rails.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('rails', 'What carries money out of the platform and into it: whether it is on, and whether it is in order.');
