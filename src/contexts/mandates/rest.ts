// The REST face of mandates.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('mandates', 'AP2 mandates: signed leave for an agent to spend, and its executions.');
