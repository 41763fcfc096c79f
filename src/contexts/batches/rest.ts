// The REST face of batches.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('batches', 'Many requests at once, carried out afterwards.');
