// What a posting is refused for, and that each posting of a group gets its own verdict.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventRecords, eventRow } from '../../src/events/event.js';
import type { WalletAccounts } from '../../src/ledger/account.js';
import { PostingRefused } from '../../src/ledger/fault.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import { type Claim, type Guard, type Leg, move } from '../../src/ledger/posting.js';
import { encodeSet } from '../../src/ledger/posting-set.js';
import { post, postEach } from '../../src/ledger/statement.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { sqlState } from '../../src/platform/postgres/failure.js';
import { newId } from '../../src/platform/schema/id.js';
import { enrol, signIn } from '../contexts/agents/identity.js';
import { eventsOf } from '../factories/payment.js';
import { nowhere, useHarness } from '../harness.js';
import { balanceOf, ctxOf, moved, postMove, query, walletRef } from './wallet-ref.js';

const harness = useHarness();
let ctx: Ctx;
let foreign: Ctx;
beforeAll(async () => {
  [ctx, foreign] = [await ctxOf(harness, harness.test), await ctxOf(harness, harness.other)];
});

/** How many of many succeeded, and the errors of the others. */
async function verdicts(work: Promise<void>[]): Promise<{ good: number; errors: unknown[] }> {
  const settled = await Promise.allSettled(work);
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  return { good: settled.length - errors.length, errors };
}

/** What the faults of a refused posting say, in order. */
async function refusals(work: Promise<void>): Promise<string[]> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(PostingRefused);
  return faultsOf(error).map(({ refusal }) => refusal);
}
const faultsOf = (error: unknown) => (error as PostingRefused).faults;

describe('a posting is refused', () => {
  it('for an account that does not exist, or is another workspace’s, on either side', async () => {
    const [own, theirs] = [await walletRef(ctx, 100n), await walletRef(foreign, 100n)];
    for (const account of [nowhere, theirs.available]) {
      expect(await refusals(postMove(ctx, own.available, account, 1n))).toEqual(['not_found']);
      expect(await refusals(postMove(ctx, account, own.available, 1n))).toEqual(['not_found']);
    }
    expect([await balanceOf(ctx, own.available), await balanceOf(ctx, theirs.available)]).toEqual([100n, 100n]);
  });

  it('for more than there is, with what there was', async () => {
    const [from, to] = [await walletRef(ctx, 99n), await walletRef(ctx)];
    const refusal = await postMove(ctx, from.available, to.available, 100n).catch((error) => error);
    expect(faultsOf(refusal)).toMatchObject([
      { kind: 'account', refusal: 'insufficient_balance', detail: { available: '99', requested: '100', currency: 'USD' } },
    ]);
    expect(await balanceOf(ctx, from.available)).toBe(99n);
  });

  it('when its debits alone are more than there is, though its credits would make up for it', async () => {
    const [a, b] = [await walletRef(ctx, 1n), await walletRef(ctx, 5n)];
    const legs: Leg[] = [...move('USD', 2n, a.available, b.available), ...move('USD', 5n, b.available, a.available)];
    expect(await refusals(postMove(ctx, a.available, b.available, 1n, { legs }))).toEqual(['insufficient_balance']);
    expect([await balanceOf(ctx, a.available), await balanceOf(ctx, b.available)]).toEqual([1n, 5n]);
  });

  it('out of a blocked account and into a closed one', async () => {
    const [from, to] = [await walletRef(ctx, 10n), await walletRef(ctx, 10n)];
    const turn = (account: string, status: string) =>
      query(ctx, 'UPDATE ledger_account SET status = $2::ledger_account_status WHERE id = $1', [account, status]);
    await turn(from.available, 'blocked');
    expect(await refusals(postMove(ctx, from.available, to.available, 1n))).toEqual(['wallet_frozen']);
    await postMove(ctx, to.available, from.available, 1n);
    await turn(from.available, 'closed');
    expect(await refusals(postMove(ctx, to.available, from.available, 1n))).toEqual(['wallet_closed']);
  });

  it('when a guard does not hold any more: key, session, token, agent', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const spend = (...guards: Guard[]) => postMove(ctx, from.available, to.available, 1n, { guards });
    const apiKey = await harness.test.make('/v1/api-keys', { name: 'Shop' });
    const agent = await enrol(harness.test);
    await signIn(harness.test, agent);
    const idOf = async (table: string) => (await query(ctx, `SELECT id FROM ${table} WHERE agent_id = $1`, [agent.uuid]))[0].id;
    const key: Guard = { kind: 'api_key', id: apiKey.id.slice('key_'.length) };
    const session: Guard = { kind: 'session', id: await idOf('agent_session') };
    const token: Guard = { kind: 'agent_token', id: await idOf('agent_token'), at: ctx.platform.clock.now() };
    const self: Guard = { kind: 'agent', id: agent.uuid };
    for (const guard of [key, session, token, self]) await spend(guard);
    await harness.test.delete(`/v1/api-keys/${apiKey.id}`);
    expect(await refusals(spend(key))).toEqual(['invalid_api_key']);
    await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`);
    expect(await refusals(spend(session))).toEqual(['session_revoked']);
    expect(await refusals(spend(token))).toEqual(['invalid_agent_token']);
    await spend(self);
    await harness.test.post(`/v1/agents/${agent.id}/token/rotate`, {});
    expect(await refusals(spend(token))).toEqual(['invalid_agent_token']);
    await harness.test.post(`/v1/agents/${agent.id}/freeze`, { reason: 'why' });
    expect(await refusals(spend(key, token, self))).toEqual(['invalid_api_key', 'invalid_agent_token', 'agent_frozen']);
    expect(await refusals(spend({ kind: 'api_key', id: nowhere }))).toEqual(['invalid_api_key']);
    expect(await balanceOf(ctx, to.available)).toBe(5n);
  });

  it('with every fault at once, each with its own numbers, alone and among others', async () => {
    const [from, to] = [await walletRef(ctx, 1_000n), await walletRef(ctx)];
    const counter = `all:${from.available}:USD`;
    const limits = [{ counter, window: '2026-03', used: 5_000n, reserved: 0n, maximum: 4_000n }];
    const claims: Claim[] = [{ kind: 'reference', key: `all ${from.available}` }];
    await postMove(ctx, from.available, to.available, 1n, { claims });
    const bad = () =>
      postMove(ctx, from.available, to.available, 5_000n, { limits, claims, guards: [{ kind: 'agent', id: nowhere }] }).catch(faultsOf);
    const alone = await bad();
    expect(alone).toMatchObject([
      { kind: 'account', refusal: 'insufficient_balance', detail: { available: '999', requested: '5000' } },
      { kind: 'guard', refusal: 'agent_suspended', detail: { kind: 'agent', id: nowhere } },
      { kind: 'limit', refusal: 'limit_exceeded', detail: { counter, window: '2026-03', maximum: '4000', used: '0', requested: '5000' } },
      { kind: 'claim', refusal: 'claimed', detail: { kind: 'reference', key: claims[0]?.key } },
    ]);
    const [, again] = await Promise.all([
      verdicts(Array.from({ length: 20 }, () => postMove(ctx, from.available, to.available, 1n))),
      bad(),
      bad(),
    ]);
    expect((again as typeof alone)?.map(({ refusal }) => refusal)).toEqual(alone?.map(({ refusal }) => refusal));
    expect((again as typeof alone)?.[0]?.detail).toMatchObject({ requested: '5000' });
  });

  it('and leaves nothing behind, alone or with the transaction that it was part of', async () => {
    const [from, to] = [await walletRef(ctx, 1n), await walletRef(ctx)];
    const at = ctx.clock.now();
    const records = eventRecords(ctx.workspace.id, [
      eventRow({ clock: { now: () => at } }, 'account.created', {}, { objectId: from.available }),
    ]);
    expect(await refusals(postMove(ctx, from.available, to.available, 2n, { records }))).toEqual(['insufficient_balance']);
    const work = ctx.db.$transaction(async (tx) => {
      await tx.account.create({ data: { id: nowhere, type: 'person', name: 'Nobody', createdAt: at, updatedAt: at } });
      await post(tx, moved(ctx, from.available, to.available, 2n));
    });
    expect(await refusals(work)).toEqual(['insufficient_balance']);
    expect(await eventsOf(harness, from.available)).toEqual([]);
    expect(await ctx.db.account.findFirst({ where: { id: nowhere } })).toBeNull();
  });
});

describe('of postings at once', () => {
  it('against a cap for k, exactly k succeed', async () => {
    const [from, to] = [await walletRef(ctx, 100_000n), await walletRef(ctx)];
    const use = { counter: `cap:${from.available}:USD`, window: '2026-03-02', used: 7n, reserved: 0n, maximum: 7n * 37n + 6n };
    const { good, errors } = await verdicts(
      Array.from({ length: 200 }, () => postMove(ctx, from.available, to.available, 1n, { limits: [use] })),
    );
    expect(good).toBe(37);
    for (const error of errors) expect(faultsOf(error)).toMatchObject([{ refusal: 'limit_exceeded', detail: { requested: '7' } }]);
    expect(await balanceOf(ctx, to.available)).toBe(37n);
    const [counter] = await query(ctx, 'SELECT used, reserved FROM limit_counter WHERE counter = $1', [use.counter]);
    expect(counter).toEqual({ used: '259', reserved: '0' });
  });

  it('against two caps, used and reserved, neither is passed', async () => {
    const [from, to] = [await walletRef(ctx, 100_000n), await walletRef(ctx)];
    const name = `two:${from.available}:USD`;
    const limits = (n: number) => [
      { counter: name, window: '2026-03-02', used: n % 2 === 0 ? 5n : 0n, reserved: n % 2 === 0 ? 0n : 5n, maximum: 60n },
      { counter: name, window: '2026-03', used: 1n, reserved: 0n, maximum: 100n },
    ];
    const { good } = await verdicts(
      Array.from({ length: 50 }, (_, n) => postMove(ctx, from.available, to.available, 1n, { limits: limits(n) })),
    );
    expect(good).toBe(12);
    const rows = await query(ctx, 'SELECT used + reserved AS sum FROM limit_counter WHERE counter = $1 ORDER BY "window"', [name]);
    expect(rows.map(({ sum }) => sum)).toEqual(['12', '60']);
  });

  it('one tenant’s overdrafts do not touch another’s payments, and get what there is', async () => {
    const [poor, payee] = [await walletRef(ctx, 10n), await walletRef(ctx)];
    const [rich, theirs] = [await walletRef(foreign, 1_000n), await walletRef(foreign, 0n)];
    const overdrafts = Array.from({ length: 100 }, () => postMove(ctx, poor.available, payee.available, 1n));
    const payments = Array.from({ length: 100 }, () => postMove(foreign, rich.available, theirs.available, 10n));
    const [refused, paid] = await Promise.all([verdicts(overdrafts), verdicts(payments)]);
    expect(refused.good).toBe(10);
    for (const error of refused.errors) expect(faultsOf(error)).toMatchObject([{ refusal: 'insufficient_balance' }]);
    expect(paid).toEqual({ good: 100, errors: [] });
    expect([await balanceOf(ctx, poor.available), await balanceOf(ctx, payee.available), await balanceOf(ctx, theirs.available)]).toEqual([
      0n,
      10n,
      1_000n,
    ]);
  });

  it('one that claims another workspace’s account is refused alone', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const thief = await walletRef(foreign, 0n);
    const thefts: Promise<void>[] = [];
    const payments: Promise<void>[] = [];
    for (let n = 0; n < 20; n += 1) {
      thefts.push(postMove(foreign, from.available, thief.available, 1n));
      payments.push(postMove(ctx, from.available, to.available, 1n));
    }
    const [stolen, paid] = await Promise.all([verdicts(thefts), verdicts(payments)]);
    expect(stolen.good).toBe(0);
    for (const error of stolen.errors) expect(faultsOf(error)).toMatchObject([{ refusal: 'not_found' }]);
    expect(paid).toEqual({ good: 20, errors: [] });
    expect([await balanceOf(ctx, from.available), await balanceOf(ctx, thief.available)]).toEqual([80n, 0n]);
  });

  it('one that the database cannot take fails alone', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const first = moved(ctx, from.available, to.available, 1n);
    await postGrouped(harness.platform.database, first);
    const work = Array.from({ length: 60 }, (_, n) =>
      n % 20 === 7 ? postGrouped(harness.platform.database, first) : postMove(ctx, from.available, to.available, 1n),
    );
    const { good, errors } = await verdicts(work);
    expect(good).toBe(57);
    expect(errors.map(sqlState)).toEqual(['23505', '23505', '23505']);
    expect(await balanceOf(ctx, to.available)).toBe(58n);
  });

  it('crossing ways do not stop each other', async () => {
    const wallets = await Promise.all(Array.from({ length: 6 }, () => walletRef(ctx, 1_000n)));
    const work = Array.from({ length: 180 }, (_, n) => {
      const [a, b] = [wallets[n % 6], wallets[(n * 5 + 1) % 6]] as [WalletAccounts, WalletAccounts];
      return postMove(ctx, a.available, a === b ? a.wrapped : b.available, 1n);
    });
    expect(await verdicts(work)).toEqual({ good: 180, errors: [] });
  });

  it('one that names an account which is committed while it waits is not lost', async () => {
    const [busy, model] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const client = await ctx.platform.database.pool.connect();
    const id = newId(ctx.clock.now());
    await client.query('BEGIN');
    await client.query('SELECT FROM ledger_account WHERE id = $1 FOR UPDATE', [busy.available]);
    await client.query(
      `INSERT INTO ledger_account SELECT copy.* FROM ledger_account a,
         jsonb_populate_record(a, jsonb_build_object('id', $2::uuid, 'owner_id', $2::uuid)) copy WHERE a.id = $1`,
      [model.available, id],
    );
    const work = postMove(ctx, busy.available, id, 7n);
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ledger_post(%'`;
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
    await client.query('COMMIT');
    client.release();
    await work;
    expect([await balanceOf(ctx, busy.available), await balanceOf(ctx, id)]).toEqual([93n, 7n]);
  });

  it('crossing ways one by one, as those who contend are posted, do not stop each other', async () => {
    const wallets = await Promise.all(Array.from({ length: 6 }, () => walletRef(ctx, 1_000n)));
    const round = (turn: number) =>
      Array.from({ length: 12 }, (_, n) => {
        const at = ((n + 3) * turn + (turn === 1 ? 0 : 3)) % 6;
        return encodeSet([moved(ctx, wallets[at]?.available ?? '', wallets[(at + turn) % 6]?.available ?? '', 1n)]);
      });
    const { pool } = harness.platform.database;
    const work = Array.from({ length: 40 }, (_, n) => pool.query(postEach.text, [JSON.stringify(round(n % 2 === 0 ? 1 : 5))]));
    expect((await Promise.allSettled(work)).filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('with one claim, one takes effect, and the others are refused in a later set', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const claims: Claim[] = [{ kind: 'reference', key: `once ${from.available}` }];
    const { good, errors } = await verdicts(Array.from({ length: 20 }, () => postMove(ctx, from.available, to.available, 1n, { claims })));
    expect(good).toBe(1);
    for (const error of errors)
      expect(faultsOf(error)).toMatchObject([{ kind: 'claim', refusal: 'claimed', detail: { kind: 'reference' } }]);
    expect(await balanceOf(ctx, to.available)).toBe(1n);
  });

  it('a refused one takes no claim, nor do the others of its set', async () => {
    const [from, to] = [await walletRef(ctx, 10n), await walletRef(ctx)];
    const claimsOf = (n: number): Claim[] => [{ kind: 'reference', key: `free ${from.available} ${n}` }];
    const pay = (n: number, minor: bigint) => postMove(ctx, from.available, to.available, minor, { claims: claimsOf(n) });
    await pay(0, 1n);
    const { good } = await verdicts([pay(0, 1n), pay(1, 1n), pay(2, 100n), pay(3, 1n)]);
    expect(good).toBe(2);
    const rows = await query(ctx, 'SELECT key FROM claim WHERE key LIKE $1 ORDER BY key', [`free ${from.available} %`]);
    expect(rows.map(({ key }) => key.at(-1))).toEqual(['0', '1', '3']);
    await pay(2, 1n);
  });
});
