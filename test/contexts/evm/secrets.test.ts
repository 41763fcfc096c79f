// Security property "Secrets" of rails over a chain: no key, seed, password or token of a URL is in a log, a trace, an error, a metric, the memory
// or a row of the database. Money goes in and out, and everything fails once, while the node repeats in its refusals how it was asked.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChainAddress } from '../../../src/contexts/x402/chain/address.js';
import { createLogger } from '../../../src/platform/log.js';
import type { RunningServer } from '../../../src/server.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { LyingNode } from '../../chain/lying-node.js';
import { ChainRail, fundedLiveWallet, railName } from '../../chain/rail.js';
import { signedAs } from '../../factories/chain.js';
import { base64, endpointBody } from '../../factories/x402.js';
import { type Answer, Client, type Harness, type Json, openWallet, useHarness } from '../../harness.js';
import { startSecond } from '../../second-server.js';
import { Receiver } from '../webhooks/receiver.js';

/** How the node is asked: a user, a password, and tokens in the path and in the query. */
const [user, word, token, key] = Array.from({ length: 4 }, () => randomBytes(12).toString('hex')) as [string, string, string, string];
let node: LyingNode;
const rail = await ChainRail.prepare({
  deposits: true,
  anvil: { args: ['--no-mining'] },
  through: async (url) => {
    node = await LyingNode.open(url);
    const address = new URL(`v3/${token}?key=${key}`, node.url);
    [address.username, address.password] = [user, word];
    return address.href;
  },
});
const secrets = new Map([
  ...Object.entries(rail.secrets),
  ...Object.entries({ user, word, token, key, credential: `${user}:${word}` }).map(([name, text]) => [name, Buffer.from(text)] as const),
]);
const spellings = (secret: Uint8Array): string[] => {
  const bytes = Buffer.from(secret);
  return [bytes.toString('latin1'), bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')].map((text) =>
    text.replace(/=+$/, ''),
  );
};
const found = (text: string): string[] =>
  [...secrets].filter(([, secret]) => spellings(secret).some((one) => text.includes(one))).map(([name]) => name);

vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
const collector = await Receiver.start();
const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url('')}/`, OTEL_TRACES_SAMPLER: 'parentbased_always_on' };

describe.runIf(hasAnvil)(`secrets of a rail over a chain${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file, ...tracing } });
  const logged: string[] = [];
  const answered: string[] = [];
  let server: RunningServer;
  let world: Harness;
  beforeAll(async () => {
    const log = createLogger('trace', { write: (line) => void logged.push(line) });
    server = await startSecond(harness, log, { railsFile: rail.namedFile(harness) });
    const live = new Client(server.urls.live ?? '', harness.live.key);
    world = Object.create(harness, { platform: { value: server.platform }, live: { value: live } }) as Harness;
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await collector.stop();
    await node?.close();
    await rail.stop();
  });

  const note = <T extends Answer>(answer: T): T => {
    answered.push(JSON.stringify([answer.body, [...answer.headers]]));
    return answer;
  };
  const read = async (target: string) => note(await world.live.get(target));
  const payoutOf = (wallet: Json, at: number) =>
    world.live.post('/v1/payouts', {
      wallet_id: wallet.id,
      amount: '1.25',
      currency: 'USDC',
      rail: railName,
      destination: { type: 'wallet', ref: `0x${(0xbead0000 + at).toString(16).padStart(40, '0')}` },
    });
  /** Refusals that repeat how the node was asked, and answers that are none. */
  const echo = `project ${token} of ${user}:${word} (${Buffer.from(`${user}:${word}`).toString('base64')}) is over its quota: /v3/${token}?key=${key}`;
  const refusals = ['eth_sendRawTransaction', 'eth_call', 'eth_estimateGas', 'eth_getLogs', 'eth_getTransactionCount', 'eth_chainId'];
  const failing = async () => {
    for (const method of refusals) {
      node.lies = [(asked) => (asked.method === method ? { error: { code: -32_000, message: echo, data: echo } } : undefined)];
      await round();
    }
    node.lies = [];
    for (const status of [200, 401, 500]) {
      node.raw = { status, body: `<html>${echo}</html>` };
      await round();
      node.repent();
    }
  };
  /** Blocks of the present, which the doctor finds in order. */
  const recover = async () => {
    world.clock.advance(120);
    await rail.anvil.ask('evm_setNextBlockTimestamp', Math.floor(world.clock.now().getTime() / 1_000));
    await rail.mine(world, 4);
    await rail.look(world);
    const { body } = await read(`/v1/rails/${railName}`);
    expect(body.data.health).toMatchObject({ ok: true });
  };
  const round = async () => {
    world.clock.advance(61);
    await rail.round(world);
    await rail.look(world);
    await read(`/v1/rails/${railName}`);
    await read(`/v1/rails/${railName}/proof`);
  };

  it('are nowhere', { timeout: 120_000 }, async () => {
    await rail.switchOn(world);
    await rail.rounds(world);
    const wallet = await fundedLiveWallet(world, '100.00');
    const { account, wallet: till } = await openWallet(world.live, { currency: 'USDC' });
    const { address } = await world.live.make(`/v1/wallets/${till.id}/deposit-addresses`, { rail: railName });
    const network = 'eip155:84532';
    const endpoint = await world.live.make('/v1/x402/endpoints', endpointBody(account, { receiver_wallet_id: till.id, network }));
    const payer = privateKeyToAccount(generatePrivateKey());
    await rail.anvil.setMoney(payer.address.toLowerCase() as ChainAddress, 10_000_000n);
    await rail.pay(address.toLowerCase(), 9_000_000n);
    await rail.mine(world, 5);
    const offer = (await world.live.get(`/x402/${endpoint.id}`, { as: null })).body.accepts[0];
    expect(note(await payoutOf(wallet, 1)).status).toBe(201);
    await failing();
    const pays = async () => {
      const validBefore = String(Math.floor(world.clock.now().getTime() / 1_000) + 300);
      const headers = { 'PAYMENT-SIGNATURE': base64(await signedAs(payer, offer, { validAfter: '0', validBefore })) };
      return note(await world.live.get(`/x402/${endpoint.id}`, { as: null, headers }));
    };
    node.lies = [(asked) => (asked.method === 'eth_call' ? { error: { code: -32_000, message: echo } } : undefined)];
    expect((await pays()).status).toBeGreaterThanOrEqual(400);
    node.repent();
    await recover();
    const paying = pays();
    for (let rounds = 0; rounds < 20; rounds += 1) await rail.mine(world, 1);
    await paying;
    await failing();
    for (let rounds = 0; rounds < 4; rounds += 1) await recover();
    await rail.pause(true);
    expect(note(await payoutOf(wallet, 2)).status).toBe(201);
    await failing();
    note(await world.live.post(`/v1/rails/${railName}/switch`, { to: 'off', reason: 'test' }));
    note(await payoutOf(wallet, 3));
    for (const list of ['events', 'audit-log', 'payouts', 'x402/payments', 'funding/transactions', 'rails', 'wallets'])
      await read(`/v1/${list}?limit=100`);

    // The walk has seen what was done, and what failed.
    const kinds = await harness.platform.database.unscoped.chainPayment.groupBy({ by: ['kind'], _count: true });
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(['payout', 'sweep', 'x402']);
    expect(logged.join('')).toContain('is over its quota');
    expect(answered.join('')).toContain('rail_unavailable');
    const metrics = await (await fetch(new URL('/metrics', server.urls.live))).text();
    expect(metrics).toContain('rpc_failures_total');
    await server.stop();
    await vi.waitFor(() => expect(collector.received.length).toBeGreaterThan(0), { timeout: 20_000, interval: 100 });
    expect(found(logged.join('\n')), 'logs').toEqual([]);
    expect(found(answered.join('\n')), 'answers').toEqual([]);
    expect(found(metrics), 'metrics').toEqual([]);
    expect(found(collector.received.map(({ body }) => body.toString('latin1')).join('\n')), 'traces').toEqual([]);
    const folder = harness.platform.config.memoryDir;
    const memory = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(memory.length).toBeGreaterThan(0);
    expect(found(memory.map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1')).join('\n')), 'memory').toEqual(
      [],
    );
    const { pool } = harness.platform.database;
    const tables = await pool.query(`SELECT oid::regclass::text AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace ORDER BY name`);
    for (const { name } of tables.rows) {
      const { rows } = await pool.query(`SELECT t::text AS line FROM ${name} t`);
      expect(found(rows.map(({ line }) => line).join('\n')), name).toEqual([]);
    }
  });
});
