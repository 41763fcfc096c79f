// Three nodes of which two must agree, under payouts, deposits and x402: one lies, and another one fails; two fail; one is far behind. Nothing is
// credited or failed on one word, and within a minute of two good ones the money has moved.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { answering, headThat, inventedTransfer, inventedUse, inventing, refusing, stuck } from '../../chain/lies.js';
import { type Lie, LyingNode, lieAbout } from '../../chain/lying-node.js';
import { ChainMoney, type SentDeposit, type SentPayout } from '../../chain/money.js';
import { ChainRail } from '../../chain/rail.js';
import { type Json, useHarness } from '../../harness.js';
import { isSlow } from '../../slow.js';

const credit = 3;
const nodes: LyingNode[] = [];
const rail = await ChainRail.prepare({
  deposits: true,
  credit,
  nodes: 3,
  anvil: { args: ['--no-mining'] },
  through: async (url) => {
    for (let at = 0; at < 3; at += 1) nodes.push(await LyingNode.open(url));
    return nodes.map((node) => node.url);
  },
});

/** What is on its way when a lie begins. */
interface UnderWay {
  payout: SentPayout;
  /** The nonce of its authorization. */
  nonce: string;
  deposit: SentDeposit;
}

/** Selectors of the token. */
const selectors = { balance: '0x70a08231', state: '0xe94a0102', carry: '0xe3ee160e' };
const later = (seconds: number) => (block: Json) => ({ timestamp: `0x${(Number(block.timestamp) + seconds).toString(16)}` });
const higher = (block: Json) => ({ number: `0x${(Number(block.number) + 1_000).toString(16)}` });
const reverted = (receipt: Json) => receipt && { ...receipt, status: '0x0', logs: [] };
const hundred = 100_000_000n;

/** Lies, and which of what is under way nobody can know of while the other good node alone says the truth. */
type Waiting = 'payout' | 'deposit' | 'call';
const all: readonly Waiting[] = ['payout', 'deposit', 'call'];
type LieOf = (under: UnderWay) => readonly Lie[] | Promise<readonly Lie[]>;
const lies: readonly (readonly [what: string, lie: LieOf, unknown: readonly Waiting[]])[] = [
  ['hides receipts', () => [lieAbout('eth_getTransactionReceipt', () => null)], ['deposit']],
  ['says that transactions have reverted', () => [lieAbout('eth_getTransactionReceipt', reverted)], ['deposit']],
  ['hides logs', () => [lieAbout('eth_getLogs', () => [])], all],
  ['invents a deposit', ({ deposit }) => inventing(rail.anvil, [inventedTransfer(rail.relayer, deposit.address, hundred)]), all],
  [
    'invents that a payout was paid',
    ({ payout, nonce }) =>
      inventing(rail.anvil, [
        inventedUse(rail.treasury, nonce, 'authorizationUsed'),
        inventedTransfer(rail.treasury, payout.payee, payout.value),
      ]),
    all,
  ],
  [
    'invents that a payout was cancelled',
    ({ nonce }) => inventing(rail.anvil, [inventedUse(rail.treasury, nonce, 'authorizationCanceled')]),
    all,
  ],
  ['hides money', () => [answering(selectors.balance, 0n), lieAbout('eth_getBalance', () => '0x0')], []],
  ['invents money', () => [answering(selectors.balance, hundred), lieAbout('eth_getBalance', () => '0xffffffffffffffffffff')], []],
  [
    'says that authorizations are used',
    () => [answering(selectors.state, 1n), refusing(selectors.carry, 'FiatTokenV2: authorization is used or canceled')],
    [],
  ],
  ['says that nonces of the relayer are used', () => [lieAbout('eth_getTransactionCount', () => '0xff')], []],
  ['says that no nonce of the relayer is used', () => [lieAbout('eth_getTransactionCount', () => '0x0')], []],
  ['invents a head', () => [headThat(higher)], []],
  ['has another clock', () => [lieAbout('eth_getBlockByNumber', (block) => block && { ...block, ...later(100_000)(block) })], all],
  ['is 50 blocks behind', async () => [await stuck(rail.anvil, 50)], all],
];
/** By default every third lie, by another node each time. */
const told = isSlow ? lies : lies.filter((_, at) => at % 3 === 0);
const cases = told.flatMap((lie, at) => (isSlow ? [0, 1, 2] : [at % 3]).map((liar) => [...lie, liar] as const));

/** What nodes do that fail. */
const failures: readonly (readonly [string, (node: LyingNode) => void])[] = [
  ['cannot be reached', (node) => Object.assign(node, { cuts: () => true })],
  ['answer with a page', (node) => Object.assign(node, { raw: { body: '<html>busy</html>' } })],
  ['have no time', (node) => Object.assign(node, { raw: { status: 429, body: '' } })],
];

describe.runIf(hasAnvil)(`three nodes${withAnvil}`, () => {
  beforeAll(async () => {
    await rail.start();
    await rail.anvil.mine(60);
  });
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    await rail.stop();
  });
  afterEach(() => {
    for (const node of nodes) node.repent();
  });
  let money: ChainMoney;
  beforeAll(async () => {
    money = await ChainMoney.begin(rail, harness, credit);
  });

  const read = async (path: string): Promise<Json> => (await harness.live.get(path)).body.data;
  const statusOf = async ({ id }: { id: string }) => (await read(`/v1/payouts/${id}`)).status;
  const fundings = async ({ wallet }: SentDeposit): Promise<Json[]> => read(`/v1/funding/transactions?wallet_id=${wallet.id}`);
  const nodeAt = (at: number) => nodes[at % 3] as LyingNode;

  /** A payout, a deposit and a payment of x402, each in a transaction that waits for its block. */
  const begin = async () => {
    const call = await money.sentCall();
    const { form: _, ...known } = call;
    let payout: SentPayout | undefined;
    await money.untilSigned(async () => {
      payout = await money.payOut();
    });
    const { id, payee, value } = payout as SentPayout;
    const deposit = await money.deposit(3_000_000n);
    const { nonce } = await harness.platform.database.unscoped.chainPayment.findFirstOrThrow({ where: { id: id.slice(3) } });
    const payment = await harness.platform.database.unscoped.x402Payment.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    return { payout: { id, payee, value }, nonce, deposit, call: known, paymentId: `pay_${payment.id}` };
  };
  type Begun = Awaited<ReturnType<typeof begin>>;

  /** How each of them stands: moved when it is credited or complete, failed, or on its way. */
  const standing = async ({ payout, deposit, paymentId }: Begun): Promise<Record<Waiting, string>> => {
    const word = (end: string, is: string) => (is === end ? 'moved' : is === 'failed' ? 'failed' : 'waits');
    const [funding] = await fundings(deposit);
    const payment = await read(`/v1/x402/payments/${paymentId}`);
    return {
      payout: word('complete', await statusOf(payout)),
      deposit: word('completed', funding?.status ?? 'unseen'),
      call: payment.credited_at === undefined ? word('', payment.status) : 'moved',
    };
  };
  const moved = { payout: 'moved', deposit: 'moved', call: 'moved' };

  /** Five seconds and a block each time, until all has moved. A minute at most. */
  const expectMovedInAMinute = async (begun: Begun, others: readonly SentPayout[] = []) => {
    const start = harness.clock.now().getTime();
    const all = async () => [await standing(begun), ...(await Promise.all(others.map(statusOf)))];
    const wanted = [moved, ...others.map(() => 'complete')];
    const seconds = () => (harness.clock.now().getTime() - start) / 1_000;
    while (JSON.stringify(await all()) !== JSON.stringify(wanted) && seconds() <= 60) await money.pass(2);
    expect(await all()).toEqual(wanted);
    expect(await money.timesPaid(begun.payout.payee)).toBe(1);
    expect((await read(`/v1/wallets/${begun.deposit.wallet.id}`)).balance).toMatchObject({ available: '3.00', pending_in: '0.00' });
    // Whoever has asked is answered as his payment stands, now at the latest.
    await begun.call.answer;
    expect((await money.pay(begun.call.payload)).status).toBe(200);
  };

  it.each(cases)('one %s', { timeout: 60_000 }, async (_what, lieOf, unknown, liar) => {
    const fresh = await money.signedCall();
    const begun = await begin();
    nodeAt(liar).lies = [...(await lieOf(begun))];
    nodeAt(liar + 1).cuts = () => true;
    const late = await money.payOut();
    for (let at = 0; at < credit + 2; at += 1) await money.pass(2);
    const now = await standing(begun);
    expect(Object.values(now)).not.toContain('failed');
    for (const each of unknown) expect([each, now[each]]).toEqual([each, 'waits']);
    // What is asked of the chain at once is not refused either: nobody knows.
    const verified = await money.verify(fresh);
    expect(verified.status === 200 ? verified.body : { isValid: true }).toMatchObject({ isValid: true });
    expect(['pending', 'confirmed', 'complete']).toContain(await statusOf(late));

    nodeAt(liar + 1).repent();
    await expectMovedInAMinute(begun, [late]);
    // The one that is good again is asked again: by then at the latest.
    while ((await money.verify(fresh)).status !== 200) await money.pass(2);
    expect((await money.verify(fresh)).body).toMatchObject({ isValid: true });
    nodeAt(liar).repent();
    await money.pass(61);
    expect(await rail.standing(harness)).toEqual(['on', 'test']);
    await money.expectProven();
  });

  it.each(failures)('two %s for twenty minutes', { timeout: 60_000 }, async (_what, fail) => {
    const begun = await begin();
    fail(nodeAt(0));
    fail(nodeAt(2));
    await rail.anvil.mine(credit + 1);
    for (let minute = 0; minute < 20; minute += 1) {
      await money.pass(60);
      expect(await standing(begun)).toEqual({ payout: 'waits', deposit: 'waits', call: 'waits' });
    }
    nodeAt(2).repent();
    await expectMovedInAMinute(begun);
    nodeAt(0).repent();
    await money.pass(61);
    await money.expectProven();
  });
});
