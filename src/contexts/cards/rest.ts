// The REST face of cards.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf('cards', 'Cards that are vaulted with their processor, agents at card networks, and processors.');
