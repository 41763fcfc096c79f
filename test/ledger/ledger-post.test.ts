// What a posting is refused for, and that each posting of a group gets its own verdict.
import { beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccounts } from '../../src/ledger/account.js';
import {
  AgentFrozen,
  InsufficientBalance,
  InvalidApiKey,
  KeyRevoked,
  KyaLimitExceeded,
  SessionRevoked,
  WalletFrozen,
} from '../../src/ledger/errors.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import { type Leg, move, post, type Spender } from '../../src/ledger/posting.js';
import { encodeSet, postEach } from '../../src/ledger/posting-set.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { sqlState } from '../../src/platform/database.js';
import { NotFound } from '../../src/platform/errors.js';
import { eventRow } from '../../src/platform/events.js';
import { type IdempotencyClaim, IdempotencyInFlight } from '../../src/platform/idempotency.js';
import { newId } from '../../src/platform/ids.js';
import { enrol, signIn } from '../contexts/agents/identity.js';
import { eventsOf } from '../factories/payment.js';
import { nowhere, useHarness } from '../harness.js';
import { balanceOf, ctxOf, moved, postMove, purse, query } from './purse.js';

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

describe('a posting is refused', () => {
  it('for an account that does not exist, or is another workspace’s, on either side', async () => {
    const [own, theirs] = [await purse(ctx, 100n), await purse(foreign, 100n)];
    for (const account of [nowhere, theirs.available]) {
      await expect(postMove(ctx, own.available, account, 1n)).rejects.toBeInstanceOf(NotFound);
      await expect(postMove(ctx, account, own.available, 1n)).rejects.toBeInstanceOf(NotFound);
    }
    expect([await balanceOf(ctx, own.available), await balanceOf(ctx, theirs.available)]).toEqual([100n, 100n]);
  });

  it('for more than there is, with what there was', async () => {
    const [from, to] = [await purse(ctx, 99n), await purse(ctx)];
    const refusal = await postMove(ctx, from.available, to.available, 100n).catch((error) => error);
    expect(refusal).toBeInstanceOf(InsufficientBalance);
    expect(refusal.details).toMatchObject({ available: '0.99', requested: '1.00', missing: '0.01' });
    expect(await balanceOf(ctx, from.available)).toBe(99n);
  });

  it('when its debits alone are more than there is, though its credits would make up for it', async () => {
    const [a, b] = [await purse(ctx, 1n), await purse(ctx, 5n)];
    const legs: Leg[] = [...move('USD', 2n, a.available, b.available), ...move('USD', 5n, b.available, a.available)];
    await expect(postMove(ctx, a.available, b.available, 1n, { legs })).rejects.toBeInstanceOf(InsufficientBalance);
    expect([await balanceOf(ctx, a.available), await balanceOf(ctx, b.available)]).toEqual([1n, 5n]);
  });

  it('out of a blocked account and into a closed one', async () => {
    const [from, to] = [await purse(ctx, 10n), await purse(ctx, 10n)];
    const turn = (account: string, status: string) =>
      query(ctx, 'UPDATE ledger_account SET status = $2::ledger_account_status WHERE id = $1', [account, status]);
    await turn(from.available, 'blocked');
    await expect(postMove(ctx, from.available, to.available, 1n)).rejects.toBeInstanceOf(WalletFrozen);
    await postMove(ctx, to.available, from.available, 1n);
    await turn(from.available, 'closed');
    await expect(postMove(ctx, to.available, from.available, 1n)).rejects.toBeInstanceOf(WalletFrozen);
  });

  it('when who spends may no longer: key, session, agent', async () => {
    const [from, to] = [await purse(ctx, 100n), await purse(ctx)];
    const spend = (spender: Spender) => postMove(ctx, from.available, to.available, 1n, { spender });
    const apiKey = await harness.test.make('/v1/api-keys', { name: 'Shop' });
    const agent = await enrol(harness.test);
    await signIn(harness.test, agent);
    const [session] = await query(ctx, 'SELECT id FROM agent_session WHERE agent_id = $1', [agent.uuid]);
    const spenders = {
      key: { apiKeyId: apiKey.id.slice('key_'.length) },
      session: { sessionId: session.id },
      agent: { agentId: agent.uuid },
    };
    for (const spender of Object.values(spenders)) await spend(spender);
    await harness.test.delete(`/v1/api-keys/${apiKey.id}`);
    await expect(spend(spenders.key)).rejects.toBeInstanceOf(InvalidApiKey);
    await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`);
    await expect(spend(spenders.session)).rejects.toBeInstanceOf(SessionRevoked);
    await expect(spend(spenders.agent)).rejects.toBeInstanceOf(KeyRevoked);
    await harness.test.post(`/v1/agents/${agent.id}/freeze`, { reason: 'why' });
    await expect(spend(spenders.agent)).rejects.toBeInstanceOf(AgentFrozen);
    await expect(spend({ apiKeyId: nowhere })).rejects.toBeInstanceOf(InvalidApiKey);
    expect(await balanceOf(ctx, to.available)).toBe(3n);
  });

  it('and leaves nothing behind, alone or with the transaction that it was part of', async () => {
    const [from, to] = [await purse(ctx, 1n), await purse(ctx)];
    const at = ctx.clock.now();
    const events = [eventRow(at, 'account.created', {}, { objectId: from.available })];
    await expect(postMove(ctx, from.available, to.available, 2n, { events })).rejects.toBeInstanceOf(InsufficientBalance);
    const work = ctx.db.$transaction(async (tx) => {
      await tx.account.create({ data: { id: nowhere, type: 'person', name: 'Nobody', createdAt: at, updatedAt: at } });
      await post(tx, moved(ctx, from.available, to.available, 2n));
    });
    await expect(work).rejects.toBeInstanceOf(InsufficientBalance);
    expect(await eventsOf(harness, from.available)).toEqual([]);
    expect(await ctx.db.account.findFirst({ where: { id: nowhere } })).toBeNull();
  });
});

describe('of postings at once', () => {
  it('against a cap for k, exactly k succeed', async () => {
    const [from, to] = [await purse(ctx, 100_000n), await purse(ctx)];
    const use = { counter: `cap:${from.available}:USD`, window: '2026-03-02', used: 7n, reserved: 0n, maximum: 7n * 37n + 6n };
    const { good, errors } = await verdicts(
      Array.from({ length: 200 }, () => postMove(ctx, from.available, to.available, 1n, { limits: [use] })),
    );
    expect(good).toBe(37);
    for (const error of errors) expect(error).toBeInstanceOf(KyaLimitExceeded);
    expect(await balanceOf(ctx, to.available)).toBe(37n);
    const [counter] = await query(ctx, 'SELECT used, reserved FROM limit_counter WHERE counter = $1', [use.counter]);
    expect(counter).toEqual({ used: '259', reserved: '0' });
  });

  it('against two caps, used and reserved, neither is passed', async () => {
    const [from, to] = [await purse(ctx, 100_000n), await purse(ctx)];
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
    const [poor, payee] = [await purse(ctx, 10n), await purse(ctx)];
    const [rich, theirs] = [await purse(foreign, 1_000n), await purse(foreign, 0n)];
    const overdrafts = Array.from({ length: 100 }, () => postMove(ctx, poor.available, payee.available, 1n));
    const payments = Array.from({ length: 100 }, () => postMove(foreign, rich.available, theirs.available, 10n));
    const [refused, paid] = await Promise.all([verdicts(overdrafts), verdicts(payments)]);
    expect(refused.good).toBe(10);
    for (const error of refused.errors) expect(error).toBeInstanceOf(InsufficientBalance);
    expect(paid).toEqual({ good: 100, errors: [] });
    expect([await balanceOf(ctx, poor.available), await balanceOf(ctx, payee.available), await balanceOf(ctx, theirs.available)]).toEqual([
      0n,
      10n,
      1_000n,
    ]);
  });

  it('one that claims another workspace’s account is refused alone', async () => {
    const [from, to] = [await purse(ctx, 100n), await purse(ctx)];
    const thief = await purse(foreign, 0n);
    const thefts: Promise<void>[] = [];
    const payments: Promise<void>[] = [];
    for (let n = 0; n < 20; n += 1) {
      thefts.push(postMove(foreign, from.available, thief.available, 1n));
      payments.push(postMove(ctx, from.available, to.available, 1n));
    }
    const [stolen, paid] = await Promise.all([verdicts(thefts), verdicts(payments)]);
    expect(stolen.good).toBe(0);
    for (const error of stolen.errors) expect(error).toBeInstanceOf(NotFound);
    expect(paid).toEqual({ good: 20, errors: [] });
    expect([await balanceOf(ctx, from.available), await balanceOf(ctx, thief.available)]).toEqual([80n, 0n]);
  });

  it('one that the database cannot take fails alone', async () => {
    const [from, to] = [await purse(ctx, 100n), await purse(ctx)];
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
    const purses = await Promise.all(Array.from({ length: 6 }, () => purse(ctx, 1_000n)));
    const work = Array.from({ length: 180 }, (_, n) => {
      const [a, b] = [purses[n % 6], purses[(n * 5 + 1) % 6]] as [WalletAccounts, WalletAccounts];
      return postMove(ctx, a.available, a === b ? a.wrapped : b.available, 1n);
    });
    expect(await verdicts(work)).toEqual({ good: 180, errors: [] });
  });

  it('one that names an account which is committed while it waits is not lost', async () => {
    const [busy, model] = [await purse(ctx, 100n), await purse(ctx)];
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
    const purses = await Promise.all(Array.from({ length: 6 }, () => purse(ctx, 1_000n)));
    const round = (turn: number) =>
      Array.from({ length: 12 }, (_, n) => {
        const at = ((n + 3) * turn + (turn === 1 ? 0 : 3)) % 6;
        return encodeSet([moved(ctx, purses[at]?.available ?? '', purses[(at + turn) % 6]?.available ?? '', 1n)]);
      });
    const { pool } = harness.platform.database;
    const work = Array.from({ length: 40 }, (_, n) => pool.query(postEach, [JSON.stringify(round(n % 2 === 0 ? 1 : 5))]));
    expect((await Promise.allSettled(work)).filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('with one idempotency key, one takes effect', async () => {
    const [from, to] = [await purse(ctx, 100n), await purse(ctx)];
    const key = (): IdempotencyClaim => ({
      id: Buffer.alloc(32, 7) as Buffer<ArrayBuffer>,
      fingerprint: Buffer.alloc(32, 8) as Buffer<ArrayBuffer>,
      expiresAt: new Date('2030-01-01'),
      recorded: false,
    });
    const claims = Array.from({ length: 20 }, key);
    const { good, errors } = await verdicts(
      claims.map((claim, n) => postMove(ctx, from.available, to.available, 1n, { claim: { key: claim, reference: String(n) } })),
    );
    expect(good).toBe(1);
    for (const error of errors) expect(error).toBeInstanceOf(IdempotencyInFlight);
    expect(claims.filter(({ recorded }) => recorded)).toHaveLength(1);
    expect(await balanceOf(ctx, to.available)).toBe(1n);
  });
});
