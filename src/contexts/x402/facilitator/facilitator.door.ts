// The doors of a facilitator, for sellers whose own servers speak x402: bodies of both versions, as the specification has them.
import { z } from 'zod';
import type { Ctx, Environment, Platform } from '../../../platform/ctx.js';
import { type GuardedDoor, guardedDoor, type OpenDoor } from '../../../platform/door.js';
import { printId } from '../../../platform/schema/id.js';
import { readBy } from '../../../platform/zod-issue.js';
import { chainOf, servedChains } from '../chain/chain.js';
import { ledgerNetwork } from '../chain/network.js';
import { discoverable, mostDiscovered, resourceOf } from '../endpoint/endpoint.js';
import { offersOf } from '../endpoint/offer.js';
import { settlementOf, settlePayload, verifyPayload, withNetwork } from '../payment/settlement.js';
import { offerReceipt } from '../wire/offer-receipt.js';
import { paymentIdentifier } from '../wire/payment-identifier.js';
import {
  type PaymentPayload,
  payloadV1,
  payloadV2,
  type Requirements,
  readRequirements,
  requirementsV1,
  requirementsV2,
  settlementResponse,
} from '../wire/wire.js';

const version = 'Version of the protocol.';
const sent = 'The payload that the payer sent.';
const wanted = 'What the seller requires.';
const asked = z.union([
  z.object({
    x402Version: z.literal(2).describe(version),
    paymentPayload: payloadV2.describe(sent),
    paymentRequirements: requirementsV2.describe(wanted),
  }),
  z.object({
    x402Version: z.literal(1).describe(version),
    paymentPayload: payloadV1.describe(sent),
    paymentRequirements: requirementsV1.describe(wanted),
  }),
]);
type RequestedBody = z.output<typeof asked>;

const verifyResponse = z.object({
  isValid: z.boolean().describe('True where the payload would pay what is required.'),
  invalidReason: z.string().optional().describe('Why it would not, as a word of the protocol.'),
  payer: z.string().optional().describe('Who would pay: an address, or the id of a wallet.'),
});
const kind = z.object({
  x402Version: z.number().int().describe(version),
  scheme: z.string().describe('How a price is settled: `exact` or `upto`.'),
  network: z.string().describe('Network of payments.'),
  extra: z.record(z.string(), z.unknown()).optional().describe('Further facts of the scheme.'),
});
const supportedResponse = z.object({
  kinds: z.array(kind).describe('Payments that are understood here.'),
  extensions: z.array(z.string()).describe('Extensions of the protocol that are understood.'),
  signers: z.record(z.string(), z.array(z.string())).describe('Addresses that settle payments, by network.'),
});

const tag = { name: 'x402' };
const example = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    accepted: requirementsExample(),
    payload: {
      signature:
        '0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c',
      authorization: {
        from: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
        to: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
        value: '10000',
        validAfter: '1740672089',
        validBefore: '1740672154',
        nonce: '0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480',
      },
    },
  },
  paymentRequirements: requirementsExample(),
};

function requirementsExample() {
  return {
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '10000',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    maxTimeoutSeconds: 60,
    extra: { name: 'USDC', version: '2' },
  };
}

/** Payload and requirements in the spelling of version 2, and the network as it was asked for. */
function readRequested(ctx: Ctx, body: RequestedBody): { payload: PaymentPayload; requirements: Requirements; network: string } {
  const requirements = readRequirements(body.paymentRequirements);
  const { network } = requirements;
  const known = (name: string) => (body.x402Version === 1 ? (chainOf(ctx, name)?.own.network ?? name) : name);
  return { payload: withNetwork(ctx, body.paymentPayload), requirements: { ...requirements, network: known(network) }, network };
}

export const verifyDoor = guardedDoor({
  id: 'verifyX402AsFacilitator',
  method: 'POST',
  path: '/v1/x402/facilitator/verify',
  audience: 'any',
  scope: 'x402:read',
  tag,
  summary: 'Facilitator: whether a payload would pay what is required',
  description: 'Bodies of x402, versions 1 and 2. A payload that would not is a 200 with `isValid: false` and the reason.',
  request: { schema: asked, example },
  answers: { 200: { schema: verifyResponse } },
  failures: [],
  take: async (ctx, { body }) => {
    const { payload, requirements } = readRequested(ctx, body);
    const verification = await verifyPayload(ctx, payload, requirements);
    return { body: verification.isValid ? { isValid: true, payer: verification.payer } : verification };
  },
});

export const settleDoor = guardedDoor({
  id: 'settleX402AsFacilitator',
  method: 'POST',
  path: '/v1/x402/facilitator/settle',
  audience: 'any',
  scope: 'x402:write',
  tag,
  summary: 'Facilitator: settle a payload',
  description:
    'Bodies of x402, versions 1 and 2. A payload that is refused is a 200 with `success: false` and the reason. An authorization is settled once, and on a chain of production one answer says so; with an id of the extension `payment-identifier` the same payload is answered as the first time, and another payload with it is 409. Of an `upto` authorization the amount of the requirements is taken.',
  request: { schema: asked, example },
  answers: { 200: { schema: settlementResponse } },
  failures: [409],
  take: async (ctx, { body }) => {
    const { payload, requirements, network } = readRequested(ctx, body);
    return { body: settlementOf(await settlePayload(ctx, payload, requirements, null), network) };
  },
});

export const supportedDoor: OpenDoor = {
  id: 'listX402Kinds',
  method: 'GET',
  path: '/v1/x402/facilitator/supported',
  tag,
  summary: 'Facilitator: what it settles',
  description: 'Versions, schemes and networks, as x402 lists them.',
  answers: { 200: { schema: supportedResponse } },
  failures: [400, 503],
  take: async (platform, { environment }) => ({
    body: { kinds: kindsIn(platform, environment), extensions: [paymentIdentifier, offerReceipt], signers: {} },
  }),
};

function kindsIn(platform: Platform, environment: Environment) {
  const where = { platform, workspace: { environment } } as Pick<Ctx, 'platform' | 'workspace'>;
  const onChain = servedChains(where).flatMap(({ own }) => [
    { x402Version: 2, scheme: 'exact', network: own.network },
    { x402Version: 1, scheme: 'exact', network: own.nameV1 },
  ]);
  const network = ledgerNetwork(where);
  const onLedger = [2, 1].flatMap((x402Version) => ['exact', 'upto'].map((scheme) => ({ x402Version, scheme, network })));
  return [...onChain, ...onLedger];
}

const page = z.object({
  type: z.literal('http').optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).max(mostDiscovered).default(0),
});
const resource = z.object({
  resource: z.string().describe('Address that is paid for.'),
  type: z.literal('http').describe('Kind of the resource.'),
  x402Version: z.literal(2).describe(version),
  accepts: z.array(requirementsV2).describe('Ways to pay, of which one is chosen.'),
  lastUpdated: z.number().int().describe('When it last changed, in Unix seconds.'),
  metadata: z.record(z.string(), z.unknown()).optional().describe('What the seller says of it.'),
});
const resources = z.object({
  x402Version: z.literal(2).describe(version),
  items: z.array(resource).describe('The resources of this page, newest first.'),
  pagination: z
    .object({
      limit: z.number().int().describe('Most resources in a page.'),
      offset: z.number().int().describe('Number of resources before this page.'),
      total: z.number().int().describe('Number of resources in all.'),
    })
    .describe('Where this page stands in the list.'),
});

export const discoveryDoor: GuardedDoor = {
  id: 'discoverX402Resources',
  method: 'GET',
  path: '/v1/x402/discovery/resources',
  audience: 'any',
  scope: 'x402:read',
  tag,
  summary: 'Discover what can be paid for',
  description: 'The discoverable endpoints of the workspace, in the shape of x402 (`type`, `limit` 1..100, `offset`).',
  answers: { 200: { schema: resources } },
  failures: [],
  take: async (ctx, { query, origin }) => {
    const { limit, offset } = readBy(page.strict(), query);
    const [rows, total] = await discoverable(ctx, { limit, offset });
    const items = await Promise.all(
      rows.map(async (row) => ({
        resource: resourceOf(row, origin),
        type: 'http',
        x402Version: 2,
        accepts: await offersOf(ctx, row),
        lastUpdated: Math.floor(row.updatedAt.getTime() / 1000),
        metadata: {
          endpoint_id: printId('x402Endpoint', row.id),
          name: row.name,
          description: row.description ?? row.name,
          method: row.method,
        },
      })),
    );
    return { body: { x402Version: 2, items, pagination: { limit, offset, total } } };
  },
};
