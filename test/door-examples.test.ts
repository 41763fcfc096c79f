// The examples of doors, whose messages are those of other protocols, are true too: each is sent to a sandbox, and does what it is about. What
// only a real object has is put in: its id, and what somebody has signed. test/document-examples.test.ts does the same for routed operations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrol, type TestAgent } from './contexts/agents/identity.js';
import { cartName, currentProfile, lookupName, ProfileHost, profileOf, searchName, Talk } from './contexts/ucp/talk.js';
import { type AcpClient, newShop } from './factories/acp.js';
import { newPayer as newChainPayer, signed } from './factories/chain.js';
import { transferBody, twoWallets } from './factories/payment.js';
import { callbackOf, newPayer, newPayout, sendSigned } from './factories/payout.js';
import { type Answer, type Json, useHarness } from './harness.js';
import { document } from './openapi.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });

const examples: Record<string, Json> = Object.fromEntries(
  Object.values<Json>(document.paths)
    .flatMap((item) => Object.values<Json>(item))
    .filter((operation) => operation['x-graphql'] === undefined)
    .flatMap(({ operationId, requestBody }) => {
      const example = requestBody?.content['application/json']?.example;
      return example === undefined ? [] : [[operationId, structuredClone(example)]];
    }),
);

let acp: AcpClient;
let talk: Talk;
let reader: Talk;
let buyer: TestAgent;
let wallet: Json;
beforeAll(async () => {
  const shop = await newShop(harness.test);
  acp = shop.acp;
  buyer = await enrol(harness.test, { wallet: { currency: 'USD' } });
  wallet = { id: buyer.agent.default_wallet_id };
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '500.00' });
  talk = new Talk(harness.test, shop.merchant, host.publish(profileOf()), buyer.token);
  reader = new Talk(harness.test, shop.merchant, host.publish(currentProfile([cartName, searchName, lookupName])), buyer.token);
});

const begun = async () => (await acp.send('POST', '', examples['acpCreateCheckoutSession'])).body;
const chosen = async () => (await acp.update(await begun(), examples['acpUpdateCheckoutSession'])).body;
const opened = async () => (await talk.create(examples['createUcpSession'])).body;
const carted = async () => (await reader.createCart(examples['createUcpCart'])).body.id;

/** The example of the facilitator, paid by an address that has tokens and signs now. */
async function ofFacilitator(id: string): Promise<Answer> {
  harness.clock.set(new Date().toISOString());
  const example = examples[id];
  const paymentPayload = await signed(await newChainPayer(harness.test), example.paymentRequirements);
  const action = id === 'verifyX402AsFacilitator' ? 'verify' : 'settle';
  return harness.test.post(`/v1/x402/facilitator/${action}`, { ...example, paymentPayload });
}

/** The request of each example, and what its answer has. */
const sent: Record<string, [send: () => Promise<Answer>, result: Json]> = {
  acpCreateCheckoutSession: [() => acp.send('POST', '', examples['acpCreateCheckoutSession']), { status: 'not_ready_for_payment' }],
  acpUpdateCheckoutSession: [async () => acp.update(await begun(), examples['acpUpdateCheckoutSession']), { status: 'ready_for_payment' }],
  acpCompleteCheckoutSession: [
    async () => {
      const example = examples['acpCompleteCheckoutSession'];
      example.payment_data.instrument.credential.token = wallet.id;
      return acp.complete(await chosen(), example);
    },
    { status: 'completed' },
  ],
  acpCancelCheckoutSession: [async () => acp.cancel(await begun(), examples['acpCancelCheckoutSession']), { status: 'canceled' }],
  createUcpSession: [() => talk.create(examples['createUcpSession']), { status: 'incomplete' }],
  updateUcpSession: [async () => talk.update((await opened()).id, examples['updateUcpSession']), { status: 'ready_for_complete' }],
  completeUcpSession: [
    async () => {
      const { id } = (await talk.update((await opened()).id, examples['updateUcpSession'])).body;
      const example = examples['completeUcpSession'];
      example.payment.instruments[0].credential.token = wallet.id;
      return talk.complete(id, example);
    },
    { status: 'completed' },
  ],
  cancelUcpSession: [async () => talk.send('POST', `/${(await opened()).id}/cancel`, examples['cancelUcpSession']), { status: 'canceled' }],
  createUcpCart: [() => reader.createCart(examples['createUcpCart']), { line_items: [{ item: { id: 'mug' }, quantity: 2 }] }],
  updateUcpCart: [async () => reader.updateCart(await carted(), examples['updateUcpCart']), { line_items: [{ quantity: 3 }] }],
  cancelUcpCart: [
    async () => reader.send('POST', `/carts/${await carted()}/cancel`, examples['cancelUcpCart'], { shown: 'cart' }),
    { line_items: [{ quantity: 2 }] },
  ],
  openEvidenceLink: [
    async () => {
      const { from, to } = await twoWallets(harness.test);
      const { id } = await harness.test.make('/v1/transfers', transferBody(from, to, '1.00'));
      const { url } = await harness.test.make('/v1/evidence/links', { transfer_id: id });
      const example = { ...examples['openEvidenceLink'], token: url.split('#')[1] };
      return harness.test.post('/v1/evidence/open', example, { as: null });
    },
    { format: 'agent-payments/evidence@1' },
  ],
  searchUcpCatalog: [() => reader.search(examples['searchUcpCatalog']), { products: [{ id: 'mug' }] }],
  lookUpUcpCatalog: [() => reader.lookUp(examples['lookUpUcpCatalog']), { products: [{ id: 'mug' }, { id: 'pen' }] }],
  readUcpProduct: [() => reader.product(examples['readUcpProduct']), { product: { id: 'mug' } }],
  callA2aAgent: [
    async () => {
      const worker = await enrol(harness.test);
      await harness.test.make(`/v1/agents/${worker.id}/skills`, { id: 'translate', name: 'Translate', description: 'German to English' });
      return harness.test.post(`/a2a/${worker.id}`, examples['callA2aAgent'], { as: buyer.token });
    },
    { result: { task: { status: { state: 'TASK_STATE_SUBMITTED' } } } },
  ],
  receiveRailCallback: [
    async () => {
      const payout = await newPayout(harness.test, await newPayer(harness.test, 'ach'));
      await harness.runDue();
      const { workspace, reference } = await callbackOf(harness, payout);
      return sendSigned(harness, 'ach', { ...examples['receiveRailCallback'], workspace, reference });
    },
    { data: { status: 'complete' } },
  ],
  verifyX402AsFacilitator: [() => ofFacilitator('verifyX402AsFacilitator'), { isValid: true }],
  settleX402AsFacilitator: [() => ofFacilitator('settleX402AsFacilitator'), { success: true }],
};

describe('the examples of', () => {
  it.each(Object.entries(sent))('%s', async (_id, [send, result]) => {
    const answer = await send();
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    expect(answer.body).toMatchObject(result);
  });

  it('every door with a body are sent', () => {
    expect(Object.keys(examples).sort()).toEqual(Object.keys(sent).sort());
  });
});
