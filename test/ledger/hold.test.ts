// Holds in any kind of escrow account: set aside, resolved once, and what they used of limits given back or settled.
import { beforeAll, describe, expect, it } from 'vitest';
import { unboundedAccount, type WalletAccounts } from '../../src/ledger/account.js';
import { PostingRefused } from '../../src/ledger/fault.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import { type Resolution, reserved, resolve, setAside, usesOf } from '../../src/ledger/hold.js';
import { type LimitUse, move, posting } from '../../src/ledger/posting.js';
import { post } from '../../src/ledger/statement.js';
import { sweepHolds, sweepLimitCounters } from '../../src/ledger/sweep.js';
import { checkLedger } from '../../src/ledger/trial-balance.js';
import { type Ctx, within } from '../../src/platform/ctx.js';
import { newId } from '../../src/platform/schema/id.js';
import { useHarness } from '../harness.js';
import { balanceOf, ctxOf, postMove, query, stateOf, walletRef } from './wallet-ref.js';

const harness = useHarness();
let ctx: Ctx;
beforeAll(async () => {
  ctx = await ctxOf(harness, harness.test);
});

/** An account of a kind that holds money for others. */
async function escrow(kind: string): Promise<string> {
  const id = newId(ctx.clock.now());
  await ctx.db.ledgerAccount.createMany({ data: [{ id, ownerId: newId(ctx.clock.now()), kind, currency: 'USD' }] });
  return id;
}

interface Aside {
  holdId: string;
  transferId: string;
}

/** Sets money of `from` aside; answers the hold and the transfer that it belongs to. */
async function hold(
  from: WalletAccounts,
  heldAccountId: string,
  to: WalletAccounts,
  amount: bigint,
  limits: LimitUse[] = [],
): Promise<Aside> {
  const createdAt = ctx.clock.now();
  const [holdId, transferId] = [newId(createdAt), newId(createdAt)] as const;
  const { legs, records } = setAside({
    workspaceId: ctx.workspace.id,
    id: holdId,
    transferId,
    fromAccountId: from.available,
    heldAccountId,
    toAccountId: to.available,
    currency: 'USD',
    amount,
    createdAt,
  });
  const value = posting(ctx, { transferId, legs, records, limits: reserved(limits) });
  await postGrouped(ctx.platform.database, value);
  return { holdId, transferId };
}

function resolved({ holdId, transferId }: Aside, resolution: Omit<Resolution, 'at'>): Promise<void> {
  return ctx.db.$transaction(async (tx) => {
    const row = await tx.hold.findFirstOrThrow({ where: { id: holdId } });
    const { legs, limits } = await resolve(tx, row, { ...resolution, at: ctx.clock.now() });
    await post(tx, posting(ctx, { transferId, legs, limits }));
  });
}

describe('a hold', () => {
  for (const kind of ['task.escrow', 'stream.escrow', 'mpp.escrow']) {
    it(`in ${kind} is captured in part, and the rest returns`, async () => {
      const [from, to, held] = [await walletRef(ctx, 100n), await walletRef(ctx), await escrow(kind)];
      const aside = await hold(from, held, to, 60n);
      expect([await balanceOf(ctx, from.available), await balanceOf(ctx, held)]).toEqual([40n, 60n]);
      await resolved(aside, { capture: 25n });
      expect([await balanceOf(ctx, from.available), await balanceOf(ctx, held), await balanceOf(ctx, to.available)]).toEqual([
        75n,
        0n,
        25n,
      ]);
    });
  }

  it('goes to somebody else than it was meant for when the resolution says so', async () => {
    const [from, to, third] = [await walletRef(ctx, 100n), await walletRef(ctx), await walletRef(ctx)];
    await resolved(await hold(from, from.held, to, 60n), { capture: 60n, to: third.available });
    expect([await balanceOf(ctx, to.available), await balanceOf(ctx, third.available)]).toEqual([0n, 60n]);
  });

  it('is resolved once, however many try', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const aside = await hold(from, from.held, to, 60n);
    const results = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => resolved(aside, { capture: n % 2 === 0 ? 60n : 0n })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await balanceOf(ctx, from.available)) + (await balanceOf(ctx, to.available))).toBe(100n);
    expect(await balanceOf(ctx, from.held)).toBe(0n);
    expect(await stateOf(query(ctx, "UPDATE hold SET status = 'held' WHERE id = $1", [aside.holdId]))).toBe('AP010');
  });

  it('is never captured beyond its amount', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const aside = await hold(from, from.held, to, 60n);
    await expect(resolved(aside, { capture: 61n })).rejects.toThrow('does not fit');
    await resolved(aside, { capture: 0n });
  });

  it('settles the limits that it reserved by what was captured, and leaves with the transfer what a refund may give back', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const counter = `hold:${from.available}:USD`;
    const limits = [{ counter, window: '2026-03', used: 60n, reserved: 0n, maximum: 80n }];
    const counted = async () => (await query(ctx, 'SELECT used, reserved FROM limit_counter WHERE counter = $1', [counter]))[0];
    const aside = await hold(from, from.held, to, 60n, limits);
    expect(await counted()).toEqual({ used: '0', reserved: '60' });
    await expect(hold(from, from.held, to, 30n, [{ ...limits[0], used: 30n } as LimitUse])).rejects.toBeInstanceOf(PostingRefused);
    await resolved(aside, { capture: 25n });
    expect(await counted()).toEqual({ used: '25', reserved: '0' });
    const uses = await ctx.db.$transaction((tx) => usesOf(tx, ctx.workspace.id, aside.transferId));
    expect(uses).toEqual([{ counter, window: '2026-03', used: 25n, reserved: 0n, maximum: null }]);
    const refund = uses.map((use) => ({ ...use, used: -10n }));
    await postMove(ctx, to.available, from.available, 10n, { limits: refund });
    expect(await counted()).toEqual({ used: '15', reserved: '0' });
  });

  it('that was set aside in an escrow account is part of the proof, whatever its kind', async () => {
    const [from, to, held] = [await walletRef(ctx, 100n), await walletRef(ctx), await escrow('task.escrow')];
    const aside = await hold(from, held, to, 60n);
    await postMove(ctx, held, to.available, 1n);
    expect(await checkLedger(ctx.platform.database, [])).toEqual([expect.stringContaining(`${held}: 59 is not 60`)]);
    await postMove(ctx, to.available, held, 1n);
    await resolved(aside, { capture: 60n });
  });
});

describe('the largest balance', () => {
  const most = 9n * 10n ** 17n;

  it('is 9 * 10^17 minor units: one more is refused, on either side of zero', async () => {
    const [full, other] = [await walletRef(ctx), await walletRef(ctx)];
    const world = await unboundedAccount(ctx, 'world.of.tests', 'USD');
    await postMove(ctx, world, full.available, most);
    const refused = await postMove(ctx, world, other.available, 1n).catch((error) => error);
    expect(refused.faults).toMatchObject([{ kind: 'account', refusal: 'balance_too_large' }]);
    const second = await unboundedAccount(ctx, 'clearing.of.tests', 'USD');
    await postMove(ctx, second, other.available, 1n);
    const over = await postMove(ctx, other.available, full.available, 1n).catch((error) => error);
    expect(over.faults).toMatchObject([{ kind: 'account', refusal: 'balance_too_large', detail: { available: String(most) } }]);
  });

  it('does not keep money from returning that was held', async () => {
    const [full, to] = [await walletRef(ctx), await walletRef(ctx)];
    const [first, second] = [await unboundedAccount(ctx, 'first.of.tests', 'USD'), await unboundedAccount(ctx, 'second.of.tests', 'USD')];
    await postMove(ctx, first, full.available, most);
    const aside = await hold(full, full.held, to, most);
    await postMove(ctx, second, full.available, most);
    await resolved(aside, { capture: 0n });
    expect(await balanceOf(ctx, full.available)).toBe(2n * most);
    await ctx.db.$transaction((tx) =>
      post(
        tx,
        posting(ctx, {
          transferId: null,
          legs: [...move('USD', most, full.available, first), ...move('USD', most, full.available, second)],
        }),
      ),
    );
  });
});

describe('the sweep', () => {
  it('of holds deletes what was resolved 400 days ago, and nothing that is open', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const [open, old] = [await hold(from, from.held, to, 10n), await hold(from, from.held, to, 10n)];
    await resolved(old, { capture: 10n });
    await sweepHolds(harness.platform);
    const left = async () => (await query(ctx, 'SELECT id FROM hold WHERE id = ANY ($1) ORDER BY id', [[open.holdId, old.holdId]])).length;
    expect(await left()).toBe(2);
    harness.clock.advance(401 * 86_400);
    expect(await sweepHolds(harness.platform, 1)).toBe(1);
    while ((await sweepHolds(harness.platform, 3)) > 0);
    expect(await left()).toBe(1);
    await resolved(open, { capture: 0n });
  });

  it('of counters deletes windows that are over for 92 days; what gives back to one of them afterwards is not refused', async () => {
    const [from, to] = [await walletRef(ctx, 100n), await walletRef(ctx)];
    const now = ctx.clock.now().getTime();
    const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10);
    const counter = `swept:${from.available}:USD`;
    const use = (window: string) => ({ counter, window, used: 5n, reserved: 0n, maximum: null });
    const windows = [day(200), day(200).slice(0, 7), day(93), day(91), 'total'];
    await postMove(ctx, from.available, to.available, 5n, { limits: windows.map(use) });
    while ((await sweepLimitCounters(harness.platform, 2)) > 0);
    const left = await query(ctx, 'SELECT "window" FROM limit_counter WHERE counter = $1', [counter]);
    expect(left.map(({ window }) => window).sort()).toEqual([day(91), 'total'].sort());
    await postMove(ctx, to.available, from.available, 5n, { limits: windows.map((window) => ({ ...use(window), used: -5n })) });
  });
});

describe('an account that a transaction opens on first use', () => {
  const openTwice = async (reader: Ctx, kind: string) =>
    new Set([await unboundedAccount(reader, kind, 'USD'), await unboundedAccount(reader, kind, 'USD')]);

  it('is not remembered when the transaction is rolled back', async () => {
    const gone = new Set<string>();
    const undone = ctx.db.$transaction(async (tx) => {
      for (const id of await openTwice(within(ctx, tx), 'undone.of.tests')) gone.add(id);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const opened = await unboundedAccount(ctx, 'undone.of.tests', 'USD');
    expect([...gone]).toEqual([expect.not.stringMatching(opened)]);
    await postMove(ctx, opened, (await walletRef(ctx)).available, 1n);
  });

  it('is the same for everybody else, who wait for the end of the transaction', async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isOpened = () => {};
    const opened = new Promise<void>((resolve) => {
      isOpened = resolve;
    });
    const first = ctx.db.$transaction(async (tx) => {
      const ids = await openTwice(within(ctx, tx), 'shared.of.tests');
      isOpened();
      await held;
      return ids;
    });
    await opened;
    const second = openTwice(ctx, 'shared.of.tests');
    goOn();
    expect(await second).toEqual(await first);
    expect((await first).size).toBe(1);
  });
});
