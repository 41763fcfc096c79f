// The SDK's check of a receipt: it believes what is proven, and refuses a server that shows an old head, a fork, or another payment.
import { type CheckedReceipt, EvidenceError, type HeadStore, ReceiptCheck } from '@agent-payments/sdk/evidence';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/platform/canonical-json.js';
import { Forger, forgedId, forgedMoney, type ToldPack } from '../factories/forged-pack.js';
import { transferBody, twoWallets } from '../factories/payment.js';
import { newBuyer, newEndpoint, payFor } from '../factories/x402.js';
import { useHarness } from '../harness.js';
import { StandIn } from './stand-in.js';
import { Wire } from './wire.js';

const h = useHarness();

async function paid(): Promise<string> {
  const { from, to } = await twoWallets(h.test);
  return (await h.test.make('/v1/transfers', transferBody(from, to, '4.00'))).id;
}

/** What a refusal of an answer says. */
const refusal = (check: Promise<CheckedReceipt>) =>
  check.then(
    () => 'believed',
    (error) => (error instanceof EvidenceError ? `${error.reason} at ${error.leg}` : `${error}`),
  );

/** A store as a program would have it in a file. */
function storeOf(kept?: string): HeadStore & { kept: string | undefined } {
  return {
    kept,
    async read() {
      return this.kept;
    },
    async write(checkpoint) {
      this.kept = checkpoint;
    },
  };
}

describe('a check of receipts', () => {
  it('says what was paid, and keeps the head', async () => {
    const store = storeOf();
    const check = new ReceiptCheck(new Wire().client(h.test.url, h.test.key), { store });
    const id = await paid();
    const { money, head, receiptJws, transferId } = await check.check(id);
    expect(money).toMatchObject({ amount: '4.00', currency: 'USD' });
    expect([transferId, receiptJws.split('.').length, store.kept]).toEqual([`tx_${id.replace('tx_', '')}`, 3, head.checkpoint]);
    const later = await check.check(await paid());
    expect(later.head.size).toBeGreaterThan(head.size);
    expect(store.kept).toBe(later.head.checkpoint);
    // Another process goes on from what was kept.
    const { vkeys } = (await h.test.get('/v1/evidence')).body.data;
    const other = new ReceiptCheck(new Wire().client(h.test.url, h.test.key), { store, vkeys: [vkeys[0].vkey] });
    expect((await other.check(id)).head.size).toBeGreaterThanOrEqual(later.head.size);
    expect(await Promise.all([1, 2, 3].map(() => refusal(other.check(id))))).toEqual(['believed', 'believed', 'believed']);
  });

  it('works for the agent that was paid, and leaves refusals of the platform as they are', async () => {
    const [seller, buyer] = [await newBuyer(h.test), await newBuyer(h.test)];
    const endpoint = await newEndpoint(h.test, { account_id: seller.account.id, receiver_wallet_id: seller.wallet.id });
    const payment = await payFor(h.test, buyer, endpoint);
    const check = new ReceiptCheck(new Wire().client(h.test.url, seller.token));
    expect((await check.check(payment.transfer_id)).money).toMatchObject({ amount: '0.10', currency: 'USDC' });
    await expect(check.check(await paid())).rejects.toMatchObject({ name: 'ApiError', status: 404 });
  });

  it('refuses what was answered before, and what is said of another payment', async () => {
    const [id, answers] = [await paid(), new Map<string, string>()];
    const wire = new Wire();
    const keep: typeof wire.fetch = async (request) => {
      const { pathname } = new URL(request.url);
      const known = answers.get(pathname);
      if (known !== undefined) return new Response(known);
      const response = await wire.fetch(request);
      if (pathname.includes('/evidence')) answers.set(pathname, await response.clone().text());
      return response;
    };
    const check = new ReceiptCheck(wire.client(h.test.url, h.test.key, { fetch: keep }));
    const first = await check.check(id);
    expect(await refusal(check.check(id))).toBe('believed');
    const other = await paid();
    await check.check(other);
    expect(await refusal(check.check(id))).toBe('smaller_head at head');
    answers.set(`/v1/transfers/${id}/evidence`, answers.get(`/v1/transfers/${other}/evidence`) ?? '');
    expect(await refusal(check.check(id))).toBe('other_transfer at undefined');
    const fresh = new ReceiptCheck(wire.client(h.test.url, h.test.key, { fetch: keep }));
    const changed = { ...JSON.parse(first.pack), checkpoint: `${first.head.checkpoint}x` };
    answers.set(`/v1/transfers/${id}/evidence`, canonicalJson(changed));
    expect(await refusal(fresh.check(id))).toBe('broken at head');
    answers.set(`/v1/transfers/${id}/evidence`, 'nothing');
    expect(await refusal(fresh.check(id))).toBe('broken at format');
  });

  it('says of a log that the platform itself calls shorter that it is', async () => {
    const store = storeOf();
    const wire = new Wire();
    const id = await paid();
    await new ReceiptCheck(wire.client(h.test.url, h.test.key), { store }).check(id);
    store.kept = store.kept?.replace(/\n\d+\n/, '\n999999\n');
    expect(await refusal(new ReceiptCheck(wire.client(h.test.url, h.test.key), { store }).check(id))).toBe('smaller_head at undefined');
  });
});

describe('a platform that signs what it should not', () => {
  const origin = new Forger();
  let answering: { forger: Forger; told: Partial<ToldPack>; change?: (pack: string) => string };
  let liar: StandIn;
  const asks = () => new ReceiptCheck(new Wire({ checks: false }).client(liar.url, 'key'));

  beforeAll(async () => {
    for (let n = 0; n < 5; n += 1) origin.add({ role: 'policy', parts: { act: { n } } });
    origin.add({ role: 'payment', parts: { money: forgedMoney() } });
    liar = await new StandIn((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const { forger, told, change = (pack: string) => pack } = answering;
      const from = Number(url.searchParams.get('from_size') ?? 0);
      const size = told.size ?? forger.leaves.length;
      const jwks = url.pathname === '/.well-known/jwks.json';
      const seen = from > 0 && from <= size ? { from } : {};
      response.end(jwks ? JSON.stringify(forger.jwks) : change(forger.pack({ transferId: forgedId, ...seen, ...told })));
    }).start();
  });
  afterAll(() => liar.stop());
  beforeEach(() => {
    answering = { forger: origin, told: {} };
  });

  it('is believed as long as its log grows', async () => {
    const made = asks();
    for (let n = 0; n < 4; n += 1) {
      expect(await refusal(made.check(forgedId)), `${n}`).toBe('believed');
      answering = { forger: answering.forger.fork(), told: {} };
      answering.forger.add({ role: 'policy', parts: { act: { n } } });
    }
  });

  it.each<[string, string, (seen: Forger) => typeof answering]>([
    ['a smaller tree of the same log', 'smaller_head at head', (seen) => ({ forger: seen.fork(6), told: {} })],
    ['a fork of the same size', 'forked at consistency', (seen) => ({ forger: grown(seen.fork(6), 2), told: {} })],
    ['a fork that has grown', 'inconsistent at consistency', (seen) => ({ forger: grown(seen.fork(6), 9), told: {} })],
    [
      'a fork with the proof of another size',
      'inconsistent at consistency',
      (seen) => ({ forger: grown(seen.fork(6), 9), told: { from: 6 } }),
    ],
    ['a log by another name', 'other_log at consistency', (seen) => ({ forger: grown(seen.fork(8, 'pay.example/other'), 1), told: {} })],
    ['a receipt of another payment', 'broken at receipt', (seen) => ({ forger: seen, told: { claims: { sub: 'tx_2' } } })],
    ['a receipt of another key', 'broken at receipt', (seen) => ({ forger: seen, told: {}, change: receiptOf(new Forger(), seen) })],
    ['another log under the same name', 'inconsistent at consistency', (seen) => ({ forger: grown(new Forger(seen), 9), told: {} })],
  ])('is refused with %s: %s', async (_name, said, lie) => {
    const made = asks();
    const seen = grown(origin.fork(), 2);
    answering = { forger: seen, told: {} };
    const { head } = await made.check(forgedId);
    expect(head.size).toBe(8n);
    answering = lie(seen);
    expect(await refusal(made.check(forgedId))).toBe(said);
    // What was kept is what was seen before.
    answering = { forger: seen, told: {} };
    expect(await refusal(made.check(forgedId))).toBe('believed');
  });

  function grown(forger: Forger, leaves: number): Forger {
    if (forger.leaves.length === 0) forger.add({ role: 'payment', parts: { money: forgedMoney() } });
    for (let n = 0; n < leaves; n += 1) forger.add({ role: 'policy', parts: { act: { n } } });
    return forger;
  }

  /** The pack, with the receipt as another platform has signed it. */
  function receiptOf(forger: Forger, { leaves }: Forger): (pack: string) => string {
    forger.leaves.push(...leaves);
    const { attached } = forger.packValue({ transferId: forgedId });
    return (pack) => canonicalJson({ ...JSON.parse(pack), attached });
  }
});
