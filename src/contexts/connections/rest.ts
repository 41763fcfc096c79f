// The REST face of connections.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'connections',
  'Connections: programs such as Claude or ChatGPT that act as an agent, with a budget, until a person revokes them or they expire.',
);
