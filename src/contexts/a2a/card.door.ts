// The public documents of A2A: the card of the platform, and those of its agents.
import type { Platform } from '../../platform/ctx.js';
import type { Door, DoorAnswer, DoorRequest, OpenDoor } from '../../platform/door.js';
import { namesTag } from '../../platform/entity-tag.js';
import { type AgentCard, agentCard, cardDigest, cardMedia, cardPath, platformCard, signedCardShape } from './card.js';
import { signCard } from './card-signature.js';

/** Seconds for which a reader may keep a card. */
const keptSeconds = 300;

// Gap G-343: The address in a card is the platform's own one (see G-417), so every card is signed.
/**
 * The signed card, or 304 for a reader that has it. No two signatures of a card are the same bytes, so its ETag is a weak one: it names
 * what stands in the card. The address in it is never the word of whoever asks.
 */
async function answer(platform: Platform, { header, origin }: DoorRequest, card: AgentCard): Promise<DoorAnswer> {
  const tag = `W/"${cardDigest(card).slice(0, 32)}"`;
  const headers = { ETag: tag, 'Cache-Control': `public, max-age=${keptSeconds}` };
  if (namesTag(header('If-None-Match'), tag)) return { status: 304, body: {}, headers };
  return { status: 200, body: await signCard(platform, card, origin), headers };
}

const shared = {
  tag: { name: 'a2a', about: 'Agents that work for agents, by A2A 1.0 (and 0.3): cards, and JSON-RPC for each agent.' },
  method: 'GET',
  headers: [{ name: 'If-None-Match', description: 'The ETag of a card that the reader has.' }],
  answers: {
    200: { schema: signedCardShape, media: cardMedia, description: 'The card.' },
    304: { description: 'The reader has it.' },
  },
} as const;

const platformCardDoor: OpenDoor = {
  ...shared,
  id: 'getPlatformCard',
  path: '/.well-known/agent-card.json',
  summary: 'The agent card of the platform',
  description: 'Where the cards and the endpoints of agents are. Signed: the key is in `/.well-known/jwks.json`.',
  failures: [400, 503],
  take: (platform, request) => answer(platform, request, platformCard(request.origin)),
};

const agentCardDoor: OpenDoor = {
  ...shared,
  id: 'getAgentCard',
  path: cardPath,
  summary: 'The agent card of an agent',
  description: 'Its skills, what they cost and where it takes messages. 404 for one that is not active. Signed by the platform.',
  failures: [400, 404, 503],
  take: async (platform, request) =>
    answer(platform, request, await agentCard(platform, request.environment, request.params['agent_id'], request.origin)),
};

export const cardDoors: readonly Door[] = [platformCardDoor, agentCardDoor];
