// The REST face of tasks.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('tasks', 'Tasks that agents give to each other.');
