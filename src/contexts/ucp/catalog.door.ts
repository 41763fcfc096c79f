// The wire of catalogues: what a merchant sells, for whoever shows a credential, and for anybody where its offer says so.
import type { Merchant } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { type DoorRequest, type GuardedDoor, guardedDoor } from '../../platform/door.js';
import { NotFound } from '../../platform/errors.js';
import { authorize } from '../../platform/schema/audience.js';
import { parseId } from '../../platform/schema/id.js';
import { publicCatalog } from '../accounts/public-catalog.js';
import { lookUpCatalog, readProduct, searchCatalog } from './catalog.js';
import { lookupAnswer, productAnswer, searchAnswer } from './catalog-answer.js';
import { lookupRequest, productRequest, searchRequest } from './catalog-request.js';
import { converse, type Talk } from './conversation.js';
import { shared } from './door-facts.js';
import { endpointPath } from './merchant-place.js';
import { errorAnswer, ucpMessagesOf } from './refusal.js';
import { merchantNamed } from './session.js';
import { lookupCapability, searchCapability } from './version.js';

/** Finds the merchant in the workspace of the credential, else among those whose catalogue is public. 401 without either, 404. */
async function merchantFor(
  ctx: Ctx,
  { params, environment }: DoorRequest,
): Promise<{ merchant: Merchant; asker: Parameters<typeof converse>[0] }> {
  const text = params['merchant_id'] ?? '';
  const isAnonymous = ctx.actor.type === 'anonymous';
  if (!isAnonymous) {
    authorize(ctx.actor, { audience: 'any', scope: 'checkouts:read' });
    const own = await merchantNamed(ctx, text);
    if (own !== null) return { merchant: own, asker: ctx };
  }
  const id = parseId('merchant', text);
  const open = id === null ? null : await publicCatalog(ctx.platform, id, environment);
  if (open !== null) {
    // Those who have shown nothing share what is fetched for this merchant; what its workspace may have fetched stays its own.
    const asker = isAnonymous ? { platform: ctx.platform, workspace: { ...open.place.workspace, id: open.merchant.id } } : ctx;
    return { merchant: open.merchant, asker };
  }
  // Without a credential nobody is told which merchants there are.
  authorize(ctx.actor, { audience: 'any', scope: 'checkouts:read' });
  throw new NotFound();
}

const admitFor =
  (needed: string) =>
  async (ctx: Ctx, request: DoorRequest): Promise<Talk> => {
    const { merchant, asker } = await merchantFor(ctx, request);
    return converse(asker, request, merchant, needed);
  };

const facts = {
  ...shared,
  audience: 'public',
  scope: 'self',
  method: 'POST',
  failures: [400, 401, 403, 404, 422, 424, 503],
  refused: async (_ctx, { admission }, error) => {
    const messages = ucpMessagesOf(error, 'request');
    return messages && error.status !== 400 ? errorAnswer(messages, admission.codec.version) : undefined;
  },
} as const satisfies Partial<GuardedDoor<unknown, Talk>>;

const readers =
  'For any credential of the workspace of the merchant, and for anybody where the offer says `catalog: "public"`. Since version 2026-08-25.';

export const searchDoor = guardedDoor<typeof searchRequest, Talk>({
  ...facts,
  id: 'searchUcpCatalog',
  path: `${endpointPath}/catalog/search`,
  summary: 'Search what a merchant sells by UCP',
  description: `Pages of the items of its offer that have all the words and meet the filters, in the merchant's order. ${readers}`,
  request: { schema: searchRequest, example: { query: 'mug', filters: { price: { max: 2000 } }, pagination: { limit: 10 } } },
  answers: { 200: { schema: searchAnswer } },
  admit: admitFor(searchCapability),
  take: async (ctx, { admission, body }) => ({ body: searchCatalog(ctx, admission, body) }),
});

export const lookupDoor = guardedDoor<typeof lookupRequest, Talk>({
  ...facts,
  id: 'lookUpUcpCatalog',
  path: `${endpointPath}/catalog/lookup`,
  summary: 'Read items of a merchant by UCP',
  description: `Items by their ids; messages name those that there are none of. 400 \`request_too_large\` for more than 50. ${readers}`,
  request: { schema: lookupRequest, example: { ids: ['mug', 'pen'] } },
  answers: { 200: { schema: lookupAnswer } },
  admit: admitFor(lookupCapability),
  take: async (_ctx, { admission, body }) => ({ body: lookUpCatalog(admission, body) }),
});

export const productDoor = guardedDoor<typeof productRequest, Talk>({
  ...facts,
  id: 'readUcpProduct',
  path: `${endpointPath}/catalog/product`,
  summary: 'Read one item of a merchant by UCP',
  description: `The item as it is now. 200 with \`not_found\` in its messages where the merchant has none of this id. ${readers}`,
  request: { schema: productRequest, example: { id: 'mug' } },
  answers: { 200: { schema: productAnswer } },
  admit: admitFor(lookupCapability),
  take: async (_ctx, { admission, body }) => ({ body: readProduct(admission, body) }),
});
