// The REST face of agents.
import { routesOf } from '../../platform/schema/route.js';

export const rest = routesOf(
  'agents',
  'Agents: programs that act and pay for an account. They come in with a token, or with an Ed25519 key that signs a challenge.',
);
