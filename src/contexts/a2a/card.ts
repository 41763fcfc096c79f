// Agent cards of A2A 1.0: how an agent is reached, what it does and what it asks for (CONTRACT.md 11). They are public, and signed by the
// platform.
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { Agent, Skill } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { placeOfAgent } from '../agents/agent.js';

/** Where an agent is reached by JSON-RPC, and its card. */
export const endpointPath = '/a2a/{agent_id}';
export const cardPath = '/a2a/agents/{agent_id}/.well-known/agent-card.json';
export const cardMedia = 'application/a2a+json';

/** Names the member of `capabilities.extensions` that says what skills cost: A2A has no place for prices. */
const pricesUri = 'urn:agent-payments:a2a:prices:v1';
/** Names the member that says where the agents of the platform are. */
const directoryUri = 'urn:agent-payments:a2a:directory:v1';
/** The binding of the platform's own interface, which is no JSON-RPC: the REST API that openapi.json describes. */
const restBinding = 'urn:agent-payments:rest:v1';

const said = (text: string) => z.string().describe(text);
const media = (text: string) => z.array(z.string()).min(1).describe(text);

const skillShape = z.object({
  id: said('What tasks call the skill.'),
  name: said('Its name.'),
  description: said('What it does.'),
  tags: z.array(z.string()).min(1).describe('Words by which it is found.'),
});
const interfaceShape = z.object({
  url: z.url().describe('Where it is reached.'),
  protocolBinding: said('How it is spoken to: `JSONRPC`, or the URN of the REST API.'),
  protocolVersion: said('The version of A2A.'),
});
const extensionShape = z.object({
  uri: said('Names the extension.'),
  description: said('What it says.'),
  params: z.record(z.string(), z.unknown()).describe('Its values, such as prices by skill.'),
});
const capabilityShape = z.object({
  streaming: z.boolean().describe('Whether messages are answered by a stream.'),
  pushNotifications: z.boolean().describe('Whether changes of tasks are sent to an address of the caller.'),
  extendedAgentCard: z.boolean().describe('Whether a caller with a credential gets a longer card.'),
  extensions: z.array(extensionShape).optional().describe('What is said here beyond A2A.'),
});
const bearerShape = z.object({ scheme: said('Always `Bearer`.'), description: said('Which credentials are taken.') });
const neededShape = z.object({ list: z.array(z.string()).optional().describe('Scopes that are needed; none here.') });
const cardShape = z.object({
  name: said('Its name.'),
  description: said('What it does.'),
  supportedInterfaces: z.array(interfaceShape).min(1).describe('Where and how it is reached, the preferred one first.'),
  provider: z
    .object({ organization: said('Its name.'), url: z.url().describe('Its address.') })
    .optional()
    .describe('Who runs it.'),
  version: said('Changes when the card does.'),
  documentationUrl: z.url().describe('Where the documentation is.'),
  capabilities: capabilityShape.describe('What of A2A is supported.'),
  securitySchemes: z
    .record(z.string(), z.object({ httpAuthSecurityScheme: bearerShape.describe('A credential in the header `Authorization`.') }))
    .describe('How callers prove who they are, by name.'),
  securityRequirements: z
    .array(z.object({ schemes: z.record(z.string(), neededShape).describe('Schemes that are needed together, by name.') }))
    .describe('Which of the schemes are needed: one of these.'),
  defaultInputModes: media('Media types that it takes.'),
  defaultOutputModes: media('Media types that it answers.'),
  skills: z.array(skillShape).describe('What it can be hired for.'),
});
const signatureShape = z.object({
  protected: said('The header of the JWS, as base64url.'),
  signature: said('The signature, as base64url.'),
});
/** A card as it is printed. */
export const signedCardShape = cardShape.extend({
  signatures: z.array(signatureShape).min(1).optional().describe('Signatures of the platform over the card, as canonical JSON.'),
});
export type AgentCard = z.infer<typeof cardShape>;
export type SignedCard = z.infer<typeof signedCardShape>;

/** An agent with its skills. */
type Offering = Pick<Agent, 'id' | 'name' | 'description'> & { skills: readonly Skill[] };

/** The card of an active agent of the environment; 404 for any other. Nothing that stands in it says whose the agent is. */
export async function agentCard(
  platform: Platform,
  environment: Environment,
  agentId: string | undefined,
  origin: string,
): Promise<AgentCard> {
  const id = parseId('agent', agentId);
  const place = id === null ? null : await placeOfAgent(platform, id, environment);
  if (id === null || place === null) throw new NotFound();
  const agent = await place.platform.database.forWorkspace(place.workspace.id).agent.findFirst({
    where: { id, status: 'active' },
    select: { id: true, name: true, description: true, skills: { orderBy: { place: 'asc' } } },
  });
  if (agent === null) throw new NotFound();
  return cardOf(agent, origin);
}

/** The card of an agent that is reached at `origin`. */
export function cardOf({ id, name, description, skills }: Offering, origin: string): AgentCard {
  const url = origin + endpointPath.replace('{agent_id}', printId('agent', id));
  const prices = skills.flatMap(({ id: skillId, price, currency }) =>
    price === null || currency === null ? [] : [[skillId, { amount: formatMinor(price, currency), currency }] as const],
  );
  const priced = {
    uri: pricesUri,
    description: 'What a task costs, by skill. It is put into escrow with the task, and paid when its result is accepted.',
    params: { prices: Object.fromEntries(prices) },
  };
  return withVersion({
    ...shared(origin),
    name,
    description: description || name,
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({ url, protocolBinding: 'JSONRPC', protocolVersion })),
    capabilities: { ...capabilities, ...(prices.length > 0 && { extensions: [priced] }) },
    skills: skills.map(({ id: skillId, name: title, description: text, tags }) => ({
      id: skillId,
      name: title,
      description: text,
      tags: tags.length > 0 ? tags : [skillId],
    })),
  });
}

// Gap G-341: The platform's card is a directory: its interface is the REST API, an extension has the templates of agents.
/** The card of the platform: a directory of agents that others hire. */
export function platformCard(origin: string): AgentCard {
  const directory = {
    uri: directoryUri,
    description: 'Where the agents of the platform are, by their ids.',
    params: { agent_card_template: origin + cardPath, endpoint_template: origin + endpointPath, openapi: `${origin}/v1/openapi.json` },
  };
  return withVersion({
    ...shared(origin),
    name: 'Agent Payments',
    description: 'Agents that hire and pay each other. Each has a card and an endpoint of its own.',
    provider: { organization: 'Agent Payments', url: origin },
    supportedInterfaces: [{ url: `${origin}/v1`, protocolBinding: restBinding, protocolVersion: '1.0' }],
    capabilities: { ...capabilities, extensions: [directory] },
    skills: [
      {
        id: 'find-agents',
        name: 'Find agents',
        description: 'Finds agents by skill, rating and price: GET /v1/a2a/agents.',
        tags: ['market', 'discovery'],
      },
      {
        id: 'give-tasks',
        name: 'Give tasks',
        description: 'Gives a task to an agent, or to whoever claims it first, with its payment in escrow: POST /v1/a2a/tasks.',
        tags: ['tasks', 'escrow'],
      },
    ],
  });
}

const capabilities = { streaming: false, pushNotifications: false, extendedAgentCard: false };
const modes = ['application/json', 'text/plain'];

/** What all cards have in common. */
function shared(origin: string) {
  return {
    documentationUrl: `${origin}/docs`,
    securitySchemes: {
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'The token or a session of an agent, or an API key.' } },
    },
    securityRequirements: [{ schemes: { bearer: {} } }],
    defaultInputModes: modes,
    defaultOutputModes: modes,
  };
}

/** The version of a card changes with what stands in it. */
function withVersion(card: Omit<AgentCard, 'version'>): AgentCard {
  return { ...card, version: `1.0.0+${cardDigest(card).slice(0, 12)}` };
}

/** A name for what stands in a card, in hexadecimal digits. */
export function cardDigest(card: object): string {
  return sha256(canonicalize(card) ?? '').toString('hex');
}
