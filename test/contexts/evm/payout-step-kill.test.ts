// "Once on a chain" (CONTRACT.md 27): a worker is killed at each step of payouts, just before the step is committed and just after it, and around
// the sending. The token's own logs have each payout once, nonces have no hole, and ledger, statement and chain agree to the unit.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addressTopic, topics } from '../../../src/contexts/evm/token.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { type Asked, LyingNode } from '../../chain/lying-node.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { RailServer } from '../../chain/rail-server.js';
import { type Fate, type Step, StepStop } from '../../chain/step-stop.js';
import type { Json } from '../../harness.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { freeLeases } from '../../server-database.js';
import { isSlow } from '../../slow.js';

/** What a payout becomes on its way, in order. */
const steps: Readonly<Record<string, Step>> = {
  order: { table: 'connector_order', event: 'INSERT' },
  authorization: { table: 'chain_payment', event: 'INSERT' },
  signature: { table: 'chain_payment', event: 'UPDATE', when: `NEW.state = 'signed' AND OLD.state = 'open'` },
  nonce: { table: 'chain_transaction', event: 'INSERT' },
  signed: { table: 'chain_form', event: 'INSERT' },
  sent: { table: 'chain_form', event: 'UPDATE', when: 'NEW.sent_at IS NOT NULL AND OLD.sent_at IS NULL' },
  'in a block': { table: 'chain_payment', event: 'UPDATE', when: `NEW.state = 'used' AND OLD.state <> 'used'` },
  confirmed: { table: 'payout', event: 'UPDATE', when: `NEW.status = 'confirmed' AND OLD.status <> 'confirmed'` },
  deep: { table: 'chain_payment', event: 'UPDATE', when: `NEW.state = 'done' AND OLD.state <> 'done'` },
  posted: { table: 'connector_order', event: 'UPDATE', when: `NEW.state = 'settled' AND OLD.state <> 'settled'` },
  'nonce closed': { table: 'chain_transaction', event: 'UPDATE', when: 'NEW.mined_hash IS NOT NULL AND OLD.mined_hash IS NULL' },
};

/** Where a worker dies while it sends. */
const sendings = ['before the node has it', 'before the node has answered'] as const;
type Sending = (typeof sendings)[number];

type Kill = readonly [step: string, how: Fate | Sending];
const every: readonly Kill[] = [
  ...Object.keys(steps).flatMap((step): Kill[] => [
    [step, 'taken back'],
    [step, 'committed'],
  ]),
  ...sendings.map((how): Kill => ['sending', how]),
];
/** The windows in which a payment could be made twice, or be lost. */
const few: readonly Kill[] = [
  ['nonce', 'committed'],
  ['sending', 'before the node has answered'],
  ['posted', 'taken back'],
];
const kills = isSlow ? every : few;
const payoutsOfKill = 2;

let node: LyingNode;
const rail = await ChainRail.prepare({
  anvil: { args: ['--block-time', '1'] },
  through: async (url) => {
    node = await LyingNode.open(url);
    return node.url;
  },
});

const payeeOf = (at: number) => `0x${(0xdead0000 + at).toString(16).padStart(40, '0')}` as const;

describe.runIf(hasAnvil)(`payouts by workers that are killed at each step${withAnvil}`, () => {
  let running: RailServer;
  let stop: StepStop;
  let worker: ServerProcess;
  let wallet: Json;
  let asked = 0;
  const startWorker = async () => {
    const { env, db } = running.server;
    await freeLeases(db);
    worker = await startServerProcess({ ...env, DATABASE_URL: stop.urlOf(env['DATABASE_URL'] ?? ''), ROLE: 'worker' });
  };
  beforeAll(async () => {
    running = await RailServer.start(rail, { ROLE: 'api' });
    stop = await StepStop.on(await running.server.connect());
    await startWorker();
    await running.switchOn();
    wallet = await running.fundedWallet('1000.00');
  }, 180_000);
  afterAll(async () => {
    if (worker?.isRunning) await worker.kill('SIGKILL');
    await running?.stop();
    await node?.close();
    await rail.stop();
  });

  const ask = async () => {
    for (let at = 0; at < payoutsOfKill; at += 1) {
      const destination = { type: 'wallet', ref: payeeOf(asked++) };
      await running.live.make('/v1/payouts', { wallet_id: wallet.id, amount: '1.25', currency: 'USDC', rail: railName, destination });
    }
  };

  /** The worker dies at the commit of a step. */
  const killAt = async (step: Step, fate: Fate) => {
    await stop.at(step);
    await ask();
    await stop.reached();
    await worker.kill('SIGKILL');
    await stop.end(fate, step);
  };

  /** The worker dies when it hands in a transaction. */
  const killSending = async (how: Sending) => {
    const dies = (calls: readonly Asked[]) => {
      const isSending = calls.some(({ method }) => method === 'eth_sendRawTransaction');
      if (isSending) worker.child.kill('SIGKILL');
      return isSending;
    };
    if (how === 'before the node has it') node.cuts = dies;
    else node.loses = dies;
    await ask();
    await worker.ended;
    node.repent();
  };

  it.each(kills)('%s: %s', { timeout: 120_000 }, async (name, how) => {
    const step = steps[name];
    if (step !== undefined) await killAt(step, how as Fate);
    else await killSending(how as Sending);
    await startWorker();
  });

  it('pays each payout once, and ledger, statement and chain agree', { timeout: 120_000 }, async () => {
    const { live, server } = running;
    const none = async (text: string) => (await running.counted(text)) === 0;
    const ends = [
      `SELECT count(*) FROM payout WHERE status IN ('pending', 'confirmed')`,
      'SELECT count(*) FROM chain_transaction WHERE mined_hash IS NULL',
      `SELECT count(*) FROM connector_order WHERE state = 'accepted'`,
    ];
    for (const text of ends) await vi.waitUntil(() => none(text), { timeout: 100_000, interval: 250 });

    const ended = await server.db.query('SELECT status, count(*)::int AS count FROM payout GROUP BY status');
    expect(ended.rows).toEqual([{ status: 'complete', count: asked }]);
    // What the token says itself, of everything that the treasury has ever paid.
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: rail.anvil.token };
    const logs = async (topic: string): Promise<Json[]> =>
      rail.anvil.ask('eth_getLogs', { ...filter, topics: [topic, addressTopic(rail.treasury)] });
    const transfers = await logs(topics.transfer);
    const paid = transfers.map(({ topics: [, , payee], data }) => [`0x${payee.slice(-40)}`, BigInt(data)]).sort();
    expect(paid).toEqual(Array.from({ length: asked }, (_, at) => [payeeOf(at), 1_250_000n]).sort());
    const used = (await logs(topics.authorizationUsed)).map(({ topics: [, , nonce] }) => nonce);
    expect(new Set(used).size).toBe(asked);

    const lines = await server.db.query(
      `SELECT sum(amount)::text AS sum, count(*)::int AS count, count(DISTINCT reference)::int AS named FROM rail_statement WHERE rail = '${railName}'`,
    );
    expect(lines.rows).toEqual([{ sum: String(1_250_000 * asked), count: asked, named: asked }]);
    const { balance } = (await live.get(`/v1/wallets/${wallet.id}`)).body.data;
    expect(balance).toMatchObject({ available: (1_000 - 1.25 * asked).toFixed(2), held: '0.00' });
    // Nonces have no hole, and the chain has used all that were given.
    const given = await server.db.query(`SELECT max(nonce) + 1 AS next, max(nonce) + 1 - count(*) AS holes FROM chain_transaction`);
    const next = BigInt(await rail.anvil.ask('eth_getTransactionCount', rail.relayer, 'latest'));
    expect(given.rows).toEqual([{ next: String(next), holes: '0' }]);
    await vi.waitUntil(async () => (await live.get(`/v1/rails/${railName}/proof`)).status === 200, { timeout: 20_000, interval: 500 });
    expect((await live.get(`/v1/rails/${railName}/proof`)).body.data).toMatchObject({ difference: '0.00', in_flight: '0.00' });
    await server.expectBalanced();
  });
});
