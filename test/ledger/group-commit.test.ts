// The queue of the group commit: bounded in length and in time, halved around a fault, one claim to a set.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { PostingRefused } from '../../src/ledger/fault.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import type { Claim, LimitUse } from '../../src/ledger/posting.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { Overloaded } from '../../src/platform/errors.js';
import { sqlState } from '../../src/platform/postgres/failure.js';
import { useHarness } from '../harness.js';
import { balanceOf, ctxOf, moved, postMove, query, walletRef } from './wallet-ref.js';

const harness = useHarness();
let ctx: Ctx;
beforeAll(async () => {
  ctx = await ctxOf(harness, harness.test);
});

const errorsOf = async (work: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(work)).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));

/** Holds the lock of an account, so that both statements that the queue may have under way wait, until `release`. */
async function withStatementsStuck(account: string, use: () => Promise<void>): Promise<void> {
  const client = await ctx.platform.database.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM ledger_account WHERE id = $1 FOR UPDATE', [account]);
  try {
    await use();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the queue', () => {
  it('refuses what it cannot hold with 503, and posts everything else', async () => {
    const [from, to] = [await walletRef(ctx, 100_000n), await walletRef(ctx)];
    let all: Promise<PromiseSettledResult<void>[]> | undefined;
    let refused: unknown[] = [];
    await withStatementsStuck(from.available, async () => {
      const work = Array.from({ length: 2_300 }, () => postMove(ctx, from.available, to.available, 1n));
      all = Promise.allSettled(work);
      refused = await errorsOf(work.slice(2_000));
    });
    expect(refused).toHaveLength(300);
    for (const error of refused) {
      expect(error).toBeInstanceOf(Overloaded);
      expect(error).toMatchObject({ status: 503, code: 'overloaded', headers: { 'Retry-After': '1' } });
      expect((error as Overloaded).details).toEqual({ retry: { safe: true, same_key: true, after_s: 1 } });
    }
    const posted = (await all)?.filter(({ status }) => status === 'fulfilled');
    expect(posted).toHaveLength(2_000);
    expect(await balanceOf(ctx, to.available)).toBe(2_000n);
  });

  it('drops what has waited too long before it is sent: it had no effect', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const { database } = ctx.platform;
    const stuck: Promise<void>[] = [];
    await withStatementsStuck(from.available, async () => {
      for (const amount of [1n, 2n]) {
        stuck.push(postMove(ctx, from.available, to.available, amount));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const late = postGrouped(database, moved(ctx, from.available, to.available, 50n), { withinMs: 1 });
      await expect(late).rejects.toBeInstanceOf(Overloaded);
    });
    expect(await errorsOf(stuck)).toEqual([]);
    expect(await balanceOf(ctx, to.available)).toBe(3n);
  });
});

describe('a set', () => {
  it('takes what arrives in one turn, the first posting too', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const sent = vi.spyOn(ctx.platform.database.pool, 'query');
    await Promise.all(Array.from({ length: 100 }, () => postMove(ctx, from.available, to.available, 1n)));
    const sets = sent.mock.calls.filter(([statement]) => (statement as unknown as { name?: string }).name === 'ledger_post');
    sent.mockRestore();
    expect(sets).toHaveLength(1);
    expect(await balanceOf(ctx, to.available)).toBe(100n);
  });

  it('that the database cannot take is halved until the faulty posting stands alone', async () => {
    const [from, to] = [await walletRef(ctx, 1_000n), await walletRef(ctx)];
    const malformed = { event: [{ workspace_id: ctx.workspace.id, id: 'no uuid', type: 'x', data: {}, created_at: 'never' }] };
    const work = Array.from({ length: 90 }, (_, n) =>
      postMove(ctx, from.available, to.available, 1n, n % 30 === 11 ? { records: malformed } : {}),
    );
    const errors = await errorsOf(work);
    expect(errors.map(sqlState)).toEqual(['22P02', '22P02', '22P02']);
    expect(await balanceOf(ctx, to.available)).toBe(87n);
  });

  it('has a use that no bigint holds refused as a use of a limit, with its numbers', async () => {
    const [from, to] = [await walletRef(ctx, 1_000n), await walletRef(ctx)];
    const use: LimitUse = { counter: `huge:${from.available}:USDC`, window: '2026-03', used: 10n ** 21n, reserved: 0n, maximum: 10n ** 9n };
    const work = [use, { ...use, window: '2026-04', maximum: null }].map((limit) =>
      postMove(ctx, from.available, to.available, 1n, { limits: [limit] }),
    );
    const others = Array.from({ length: 10 }, () => postMove(ctx, from.available, to.available, 1n));
    const errors = await errorsOf([...work, ...others]);
    expect(errors).toHaveLength(2);
    for (const error of errors) {
      expect(error).toBeInstanceOf(PostingRefused);
      expect((error as PostingRefused).faults).toMatchObject([{ refusal: 'limit_exceeded', detail: { requested: String(10n ** 21n) } }]);
    }
    expect(await balanceOf(ctx, to.available)).toBe(10n);
  });

  it('never holds one claim twice: of pairs at once the first of each takes effect', async () => {
    const [from, to] = [await walletRef(ctx, 1_000n), await walletRef(ctx)];
    const claimsOf = (n: number): Claim[] => [{ kind: 'reference', key: `pair ${from.available} ${n}` }];
    const work = Array.from({ length: 60 }, (_, n) =>
      postMove(ctx, from.available, to.available, 1n, { claims: claimsOf(Math.floor(n / 2)) }),
    );
    const errors = await errorsOf(work);
    expect(errors).toHaveLength(30);
    for (const error of errors) expect((error as PostingRefused).faults).toMatchObject([{ kind: 'claim', refusal: 'claimed' }]);
    const [row] = await query(ctx, 'SELECT count(*)::int AS n FROM claim WHERE key LIKE $1', [`pair ${from.available} %`]);
    expect(row.n).toBe(30);
  });
});
