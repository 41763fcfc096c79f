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
import { workspaceOfAgent } from '../agents/agent.js';

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

const skillShape = z.object({ id: z.string(), name: z.string(), description: z.string(), tags: z.array(z.string()).min(1) });
const cardShape = z.object({
  name: z.string(),
  description: z.string(),
  supportedInterfaces: z.array(z.object({ url: z.url(), protocolBinding: z.string(), protocolVersion: z.string() })).min(1),
  provider: z.object({ organization: z.string(), url: z.url() }).optional(),
  version: z.string(),
  documentationUrl: z.url(),
  capabilities: z.object({
    streaming: z.boolean(),
    pushNotifications: z.boolean(),
    extendedAgentCard: z.boolean(),
    extensions: z.array(z.object({ uri: z.string(), description: z.string(), params: z.record(z.string(), z.unknown()) })).optional(),
  }),
  securitySchemes: z.record(z.string(), z.object({ httpAuthSecurityScheme: z.object({ scheme: z.string(), description: z.string() }) })),
  securityRequirements: z.array(z.object({ schemes: z.record(z.string(), z.object({ list: z.array(z.string()).optional() })) })),
  defaultInputModes: z.array(z.string()).min(1),
  defaultOutputModes: z.array(z.string()).min(1),
  skills: z.array(skillShape),
});
/** A card as it is printed. */
export const signedCardShape = cardShape.extend({
  signatures: z
    .array(z.object({ protected: z.string(), signature: z.string() }))
    .min(1)
    .optional(),
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
  const workspace = id === null ? null : await workspaceOfAgent(platform, id, environment);
  if (id === null || workspace === null) throw new NotFound();
  const agent = await platform.database.forWorkspace(workspace.id).agent.findFirst({
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

/** The card of the platform: a directory of agents that others hire (Gap G-341). */
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
