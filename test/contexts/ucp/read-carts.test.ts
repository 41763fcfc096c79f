// Carts over GraphQL: whoever reads them by UCP reads them here, and nobody else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';
import { cartName, checkoutName, currentProfile, mugs, ProfileHost, songs, Talk } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
let merchant: Json;
let talk: Talk;
let buyer: TestAgent;
let cart: Json;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  talk = new Talk(harness.test, merchant, host.publish(currentProfile([checkoutName, cartName])));
  buyer = await enrol(harness.test);
  cart = (await talk.createCart(mugs(2, { buyer: { first_name: 'Ada' } }), { as: buyer.token })).body;
});

const one = `query ($id: CartId!) {
  cart(id: $id) { id merchant { name } status items { sku title quantity unitPrice } currency buyer agentId checkout { id } expiresAt }
}`;
const read = (id: string, as = harness.test.key) => harness.test.graphql(one, { id }, { as });
const list = async (variables: object = {}, as = harness.test.key): Promise<string[]> => {
  const text = 'query ($merchantId: MerchantId, $status: CartStatus) { carts(merchantId: $merchantId, status: $status) { nodes { id } } }';
  return (await harness.test.graphql(text, variables, { as })).body.data.carts.nodes.map(({ id }: Json) => id);
};
const codeOf = ({ body }: Json) => body.errors[0].extensions.code;

it('reads a cart, for the tenant and for the agent that made it', async () => {
  for (const as of [harness.test.key, buyer.token]) {
    expect((await read(cart.id, as)).body.data.cart).toEqual({
      id: cart.id,
      merchant: { name: 'Shop' },
      status: 'active',
      items: [{ sku: 'mug', title: 'Mug', quantity: 2, unitPrice: '12.50' }],
      currency: 'USD',
      buyer: { first_name: 'Ada' },
      agentId: buyer.uuid,
      checkout: null,
      expiresAt: cart.expires_at,
    });
  }
});

it('lists them, newest first, by merchant and status, with what became of them', async () => {
  const { body: second } = await talk.createCart(songs(), { as: buyer.token });
  const { body: made } = await talk.create({ cart_id: second.id, line_items: [] }, { as: buyer.token });
  expect((await read(second.id, buyer.token)).body.data.cart.checkout).toEqual({ id: made.id });
  const { body: third } = await talk.createCart(songs());
  await talk.cancelCart(third.id);
  expect(await list()).toEqual([third.id, second.id, cart.id]);
  expect(await list({ status: 'cancelled' })).toEqual([third.id]);
  expect(await list({}, buyer.token)).toEqual([second.id, cart.id]);
  expect(await list({ merchantId: (await newSeller(harness.test)).merchant.id })).toEqual([]);
});

it('finds none that is another agent’s, of another tenant, or of nobody', async () => {
  const stranger = await enrol(harness.test);
  expect(codeOf(await read(cart.id, stranger.token))).toBe('not_found');
  expect(await list({}, stranger.token)).toEqual([]);
  expect(codeOf(await harness.other.graphql(one, { id: cart.id }))).toBe('not_found');
  expect(codeOf(await read(`cart_${nowhere}`))).toBe('not_found');
});

it('asks for checkouts:read', async () => {
  const { key } = await harness.test.make('/v1/api-keys', { name: 'Wallets', scopes: ['wallets:read'] });
  expect(codeOf(await read(cart.id, key))).toBe('insufficient_scope');
});
