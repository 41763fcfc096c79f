// The REST face of rates.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('rates', 'What currencies are worth in each other: the built-in rates, and those that the workspace sets.');
