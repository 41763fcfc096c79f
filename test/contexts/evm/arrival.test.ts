// What becomes of money that reached the address of a wallet, step by step: the rows are written here as the watch writes them. From the chain
// itself: deposit.test.ts.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepArrival } from '../../../src/contexts/evm/arrival.js';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import type { ChainArrivalState } from '../../../src/generated/prisma/client.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { hasAnvil, withAnvil } from '../../chain/anvil.js';
import { ChainRail, railName } from '../../chain/rail.js';
import { Client, type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { startSecond } from '../../second-server.js';
import { enrol } from '../agents/identity.js';

const rail = await ChainRail.prepare({ deposits: true, anvil: { args: ['--no-mining'] } });

/** A height that the chain of these tests never reaches: the watch itself leaves such rows alone. */
const notDeep = 1_000_000n;

/** What the watch says of one transfer to the address of a wallet. */
interface Seen {
  value?: bigint;
  txHash?: string;
  place?: number;
  state?: ChainArrivalState;
  blockNumber?: bigint;
  paymentId?: string;
}

describe.runIf(hasAnvil)(`what has reached a wallet${withAnvil}`, () => {
  beforeAll(() => rail.start());
  const harness = useHarness({ env: { RAILS_FILE: rail.file } });
  afterAll(() => rail.stop());
  let workspaceId = '';
  beforeAll(async () => {
    await rail.switchOn(harness);
    const where = { tenantId: harness.tenantId, environment: 'live' as const };
    workspaceId = (await harness.platform.database.unscoped.workspace.findFirstOrThrow({ where })).id;
  });

  const newWallet = async (): Promise<Json> => (await openWallet(harness.live, { currency: 'USDC' })).wallet;
  const arrive = async (
    { id: walletId }: Json,
    {
      value = 5_000_000n,
      txHash = `0x${randomBytes(32).toString('hex')}`,
      place = 0,
      state = 'seen',
      blockNumber = notDeep,
      ...more
    }: Seen = {},
  ) => {
    const at = harness.clock.now();
    const payer = `0x${'11'.repeat(20)}`;
    const payee = `0x${'22'.repeat(20)}`;
    const known = { rail: railName, chainId: 84_532n, txHash, place, blockNumber, payer, payee, value, walletId, state, ...more };
    const row = await harness.platform.database.unscoped.chainArrival.create({
      data: { ...known, workspaceId, id: randomUUID(), createdAt: at, dueAt: at },
    });
    await harness.runDue();
    return row.id;
  };
  const say = async (id: string, state: ChainArrivalState, more: object = {}) => {
    await harness.platform.database.unscoped.chainArrival.updateMany({
      where: { id },
      data: { state, dueAt: harness.clock.now(), ...more },
    });
    await harness.runDue();
  };
  const rowOf = (id: string) => harness.platform.database.unscoped.chainArrival.findFirstOrThrow({ where: { id } });
  const fundings = async ({ id }: Json): Promise<Json[]> => (await harness.live.get(`/v1/funding/transactions?wallet_id=${id}`)).body.data;
  const balanceOf = async ({ id }: Json) => (await harness.live.get(`/v1/wallets/${id}`)).body.data.balance;
  const linesOf = (txHash: string) =>
    harness.platform.database.unscoped.railStatement.findMany({
      where: { reference: { startsWith: txHash } },
      orderBy: { reference: 'asc' },
    });

  it('is expected when it is seen, and credited when it is deep', async () => {
    const wallet = await newWallet();
    const id = await arrive(wallet);
    const { txHash } = await rowOf(id);
    expect(await fundings(wallet)).toEqual([
      expect.objectContaining({
        provider: 'evm',
        type: 'stablecoin',
        status: 'pending',
        amount: '5.00',
        fee: '0.00',
        rail: railName,
        source_ref: `${txHash}:0`,
        rail_reference: txHash,
        rail_details: { tx_hash: txHash, network: 'eip155:84532', block_number: Number(notDeep) },
      }),
    ]);
    expect(await balanceOf(wallet)).toMatchObject({ available: '0.00', pending_in: '5.00', total: '0.00' });
    expect(await linesOf(txHash)).toEqual([]);
    await say(id, 'deep');
    expect(await fundings(wallet)).toMatchObject([{ status: 'completed', completed_at: expect.any(String) }]);
    expect(await balanceOf(wallet)).toMatchObject({ available: '5.00', pending_in: '0.00', total: '5.00' });
    expect(await linesOf(txHash)).toMatchObject([{ reference: txHash, direction: 'credit', amount: 5_000_000n, rail: railName }]);
    expect(await rowOf(id)).toMatchObject({ state: 'booked', dueAt: null, leaseUntil: null });
  });

  it('is credited once, also when nobody saw it before it was deep, and the step runs twice at once and in two processes', async () => {
    const wallet = await newWallet();
    const second = await startSecond(harness);
    try {
      const at = harness.clock.now();
      const id = await arrive(wallet, { state: 'booked' });
      await harness.platform.database.unscoped.chainArrival.updateMany({ where: { id }, data: { state: 'deep', dueAt: at } });
      const workspace = workspaceOf(await harness.platform.database.unscoped.workspace.findFirstOrThrow({ where: { id: workspaceId } }));
      const steps = [harness.platform, second.platform, harness.platform, second.platform].map((platform) =>
        stepArrival(systemCtx(platform, workspace, null), id),
      );
      await Promise.all(steps);
      await harness.runDue();
      expect(await fundings(wallet)).toMatchObject([{ status: 'completed' }]);
      expect(await balanceOf(wallet)).toMatchObject({ available: '5.00', pending_in: '0.00' });
      expect(await linesOf((await rowOf(id)).txHash)).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });

  it('fails with `reorged` when the chain has taken it back for good, and nothing was posted', async () => {
    const wallet = await newWallet();
    const { number } = await rail.anvil.ask('eth_getBlockByNumber', 'latest', false);
    const height = BigInt(number) + 1n;
    const id = await arrive(wallet, { blockNumber: height });
    await say(id, 'gone');
    expect(await fundings(wallet)).toMatchObject([{ status: 'pending' }]);
    await rail.anvil.mine(2);
    await rail.round(harness);
    harness.clock.advance(60);
    await rail.round(harness);
    expect(await fundings(wallet)).toMatchObject([{ status: 'pending' }]);
    await rail.anvil.mine(2);
    await rail.round(harness);
    harness.clock.advance(60);
    await harness.runDue();
    const [failed] = await fundings(wallet);
    expect(failed).toMatchObject({ status: 'failed', error_code: 'reorged', return: { code: 'reorged' } });
    expect((await harness.live.get(`/v1/transfers/${failed?.transfer_id}`)).body.data).toMatchObject({ status: 'failed' });
    expect(await balanceOf(wallet)).toMatchObject({ available: '0.00', pending_in: '0.00' });
    expect(await linesOf((await rowOf(id)).txHash)).toEqual([]);
    // It comes again, in another block: it is another deposit.
    await say(id, 'seen', { blockNumber: height + 3n });
    expect(await fundings(wallet)).toMatchObject([
      { status: 'pending', rail_details: { block_number: Number(height) + 3 } },
      { id: failed?.id },
    ]);
    await say(id, 'deep');
    expect(await fundings(wallet)).toMatchObject([{ status: 'completed' }, { status: 'failed' }]);
    expect(await balanceOf(wallet)).toMatchObject({ available: '5.00', pending_in: '0.00' });
  });

  it('goes on as it was when it comes again before it was given up', async () => {
    const wallet = await newWallet();
    const id = await arrive(wallet);
    await say(id, 'gone');
    await say(id, 'seen', { blockNumber: notDeep + 1n });
    await say(id, 'deep');
    expect(await fundings(wallet)).toMatchObject([{ status: 'completed' }]);
  });

  it('is on the statement alone when it is less than the minimum', async () => {
    const wallet = await newWallet();
    const id = await arrive(wallet, { value: 99_999n });
    await say(id, 'deep');
    expect([await fundings(wallet), (await rowOf(id)).state]).toEqual([[], 'booked']);
    expect(await linesOf((await rowOf(id)).txHash)).toMatchObject([{ amount: 99_999n }]);
    expect(await balanceOf(wallet)).toMatchObject({ available: '0.00', pending_in: '0.00' });
  });

  it('is two deposits when one transaction pays two wallets', async () => {
    const [one, other] = [await newWallet(), await newWallet()];
    const txHash = `0x${randomBytes(32).toString('hex')}`;
    const ids = [await arrive(one, { txHash }), await arrive(other, { txHash, place: 1, value: 7_000_000n })];
    for (const id of ids) await say(id, 'deep');
    expect([(await balanceOf(one)).available, (await balanceOf(other)).available]).toEqual(['5.00', '7.00']);
    expect((await linesOf(txHash)).map(({ reference, amount }) => [reference, amount])).toEqual([
      [txHash, 5_000_000n],
      [`${txHash}:1`, 7_000_000n],
    ]);
    expect(await fundings(other)).toMatchObject([{ source_ref: `${txHash}:1`, rail_reference: `${txHash}:1` }]);
  });

  it('is no deposit when an x402 payment has brought it', async () => {
    const wallet = await newWallet();
    const id = await arrive(wallet, { paymentId: randomUUID() });
    await say(id, 'deep');
    expect([await fundings(wallet), (await rowOf(id)).state]).toEqual([[], 'booked']);
    expect(await linesOf((await rowOf(id)).txHash)).toHaveLength(1);
  });

  it('reaches a wallet that is frozen, and keeps one from being closed while it is expected', async () => {
    const wallet = await newWallet();
    await harness.live.make(`/v1/wallets/${wallet.id}/freeze`, { reason: 'test' });
    const id = await arrive(wallet);
    const { status, body } = await harness.live.post(`/v1/wallets/${wallet.id}/close`, {});
    expect([status, body.details.open]).toMatchObject([409, [{ type: 'funding_transaction' }]]);
    await say(id, 'deep');
    expect(await balanceOf(wallet)).toMatchObject({ available: '5.00' });
  });

  it('waits when the wallet was closed, on the statement and before the eyes of its operator', async () => {
    const wallet = await newWallet();
    await harness.live.make(`/v1/wallets/${wallet.id}/close`, {});
    const id = await arrive(wallet, { state: 'deep' });
    const { state, dueAt, txHash } = await rowOf(id);
    expect([state, dueAt === null, (await linesOf(txHash)).length, await fundings(wallet)]).toEqual(['deep', false, 1, []]);
    await rail.look(harness);
    const { health } = (await harness.live.get(`/v1/rails/${railName}`)).body.data;
    expect(health.problems).toContainEqual(
      expect.objectContaining({ check: 'unclaimed', found: expect.stringContaining('1 deposits, 5.00 USDC'), stops: false }),
    );
    await harness.advance(3_600);
    expect([(await rowOf(id)).state, (await linesOf(txHash)).length]).toEqual(['deep', 1]);
  });

  it('shows nothing of it to another tenant, or to an agent whose wallet it is not', async () => {
    const wallet = await newWallet();
    await arrive(wallet);
    const [funding] = await fundings(wallet);
    const { liveKey } = await createTenant(harness.platform, { name: 'Another' });
    const another = new Client(harness.live.url, liveKey);
    expectRefused(await another.get(`/v1/funding/transactions/${funding?.id}`), 404, 'not_found');
    expectRefused(await another.get(`/v1/wallets/${wallet.id}/deposit-addresses`), 404, 'not_found');
    const { token } = await enrol(harness.live);
    expectRefused(await harness.live.get(`/v1/funding/transactions/${funding?.id}`, { as: token }), 404, 'not_found');
  });
});
