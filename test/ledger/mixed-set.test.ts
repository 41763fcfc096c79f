// Sets of every mixture against a ledger kept in TypeScript: what ledger_post() reads by place must reach the row that it is of.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Transfer } from '../../src/generated/prisma/client.js';
import type { WalletAccounts } from '../../src/ledger/account.js';
import { move, type Posting, posting } from '../../src/ledger/posting.js';
import { encodeSet, postEach, postSet } from '../../src/ledger/posting-set.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { catalog } from '../../src/platform/event-catalog.js';
import { eventRow } from '../../src/platform/events.js';
import { newId } from '../../src/platform/ids.js';
import { useHarness } from '../harness.js';
import { balanceOf, ctxOf, purse, query } from './purse.js';

const harness = useHarness();
const funds = 100_000n;
let own: Ctx;
let foreign: Ctx;
let purses: [Ctx, WalletAccounts][];
beforeAll(async () => {
  [own, foreign] = [await ctxOf(harness, harness.test), await ctxOf(harness, harness.other)];
  purses = [];
  for (const ctx of [own, own, own, foreign, foreign]) purses.push([ctx, await purse(ctx, funds)]);
});

const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((one) => one.replaceAll('\u0000', '').toWellFormed());
const strange = fc.oneof(
  text,
  fc.constantFrom('', '{}', '"', '\\', "'", '{a,b}', 'NULL', 'null', '\\u0000', '\u{1f600}', '\u202e', '\n\t\b', '$1'),
);
const metadata = fc.dictionary(
  strange.filter((name) => name !== '__proto__'),
  strange,
  { maxKeys: 3 },
);
interface Plan {
  from: number;
  to: number;
  minor: bigint;
  kind: 'move' | 'transfer' | 'hold';
  description: string | null;
  referenced: boolean;
  metadata: Record<string, string>;
  counters: number[];
  events: string[];
  claimed: boolean;
  ms: number;
}
const plan: fc.Arbitrary<Plan> = fc.record({
  from: fc.nat(4),
  to: fc.nat(4),
  minor: fc.bigInt({ min: 1n, max: 5_000n }),
  kind: fc.constantFrom('move', 'transfer', 'transfer', 'hold'),
  description: fc.option(strange),
  referenced: fc.boolean(),
  metadata: fc.oneof(fc.constant({}), metadata),
  counters: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
  events: fc.array(strange, { maxLength: 3 }),
  claimed: fc.boolean(),
  ms: fc.integer({ min: 0, max: 5_000 }),
});
const sets = fc.array(plan, { minLength: 1, maxLength: 25 });

function rowOf(ctx: Ctx, { minor, kind, description, referenced, metadata: data }: Plan, at: Date): Transfer {
  const held = kind === 'hold';
  const id = newId(at);
  return {
    ...{ workspaceId: ctx.workspace.id, id, type: 'internal', status: held ? 'pending' : 'completed', amount: minor, currency: 'USD' },
    ...{ fromAccountId: null, toAccountId: newId(at), fromWalletId: held ? newId(at) : null, toWalletId: null, protocol: 'internal' },
    ...{
      description,
      reference: referenced ? `"${id}" {}\\` : null,
      capture: held ? 'manual' : 'automatic',
      holdId: held ? newId(at) : null,
    },
    ...{ capturedAmount: held ? 0n : null, holdExpiresAt: held ? new Date(at.getTime() + 60_000) : null, scheduledFor: null },
    ...{ refundedAmount: 0n, initiatedByType: 'api_key', initiatedById: newId(at), agentId: referenced ? newId(at) : null },
    ...{ failureCode: null, failureMessage: null, metadata: data, dueAt: held ? new Date(at.getTime() + 60_000) : null, leaseUntil: null },
    ...{ createdAt: at, updatedAt: at, completedAt: held ? null : at },
  } as Transfer;
}

let claims = 0;
function postingOf(one: Plan): Posting {
  const [ctx, from] = purses[one.from] as [Ctx, WalletAccounts];
  const [toCtx, there] = purses[one.to] as [Ctx, WalletAccounts];
  const at = new Date(ctx.clock.now().getTime() + one.ms);
  const held = one.kind === 'hold';
  const to = held ? from.held : toCtx === ctx && one.from !== one.to ? there.available : from.wrapped;
  const transfer = one.kind === 'move' ? undefined : rowOf(ctx, one, at);
  const limits = one.counters.map((n) => ({
    ...{ counter: `mixed "${n}"`, window: '2026-03', used: held ? 0n : one.minor, reserved: held ? one.minor : 0n, maximum: null },
  }));
  claims += 1;
  const claim = claims;
  return posting(ctx, {
    ...{ at, legs: move('USD', one.minor, from.available, to), transferId: transfer?.id ?? null, limits },
    id: transfer?.id ?? newId(at),
    events: one.events.map((said, n) =>
      eventRow(
        at,
        'account.created',
        { ...(catalog.get('account.created')?.example as object), name: said },
        { objectId: n === 0 ? newId(at) : undefined },
      ),
    ),
    ...(transfer !== undefined && { transfer }),
    ...(transfer?.holdId != null && {
      hold: {
        ...{ id: transfer.holdId, fromAccountId: from.available, heldAccountId: from.held, toAccountId: from.available },
        ...{ currency: 'USD', amount: one.minor, limits },
      },
    }),
    ...(one.claimed && {
      claim: {
        key: {
          id: Buffer.from(claim.toString(16).padStart(64, '0'), 'hex') as Buffer<ArrayBuffer>,
          fingerprint: Buffer.from(claim.toString(16).padStart(64, 'f'), 'hex') as Buffer<ArrayBuffer>,
          expiresAt: new Date(at.getTime() + 60_000),
          recorded: false,
        },
        reference: `claim ${claim} "`,
      },
    }),
  });
}

/** Every row of a posting as it was written. */
async function check(postings: readonly Posting[]): Promise<void> {
  const { unscoped } = own.platform.database;
  for (const { id, workspaceId, transferId, at, legs, transfer, hold, events, claim } of postings) {
    const [row] = await query(own, 'SELECT * FROM ledger_transaction WHERE id = $1', [id]);
    expect(row).toEqual({ workspace_id: workspaceId, id, transfer_id: transferId, created_at: at });
    const entries = await query(own, 'SELECT * FROM ledger_entry WHERE transaction_id = $1', [id]);
    const said = entries.map((entry) => `${entry.workspace_id} ${entry.account_id} ${entry.amount} ${entry.currency}`);
    expect(said.sort()).toEqual(legs.map((leg) => `${workspaceId} ${leg.accountId} ${leg.amount} ${leg.currency}`).sort());
    if (transfer !== undefined) expect(await unscoped.transfer.findFirst({ where: { id: transfer.id } })).toEqual(transfer);
    if (hold !== undefined) {
      const { id: _, limits, ...rest } = hold;
      expect(await unscoped.hold.findFirst({ where: { id: hold.id } })).toMatchObject({
        ...rest,
        workspaceId,
        transferId,
        status: 'held',
        createdAt: at,
      });
    }
    for (const { sides, ...event } of events) {
      expect(await unscoped.event.findFirst({ where: { id: event.id } })).toEqual({ ...event, workspaceId });
    }
    if (claim !== undefined) {
      const key = await unscoped.idempotencyKey.findFirst({ where: { id: claim.key.id } });
      expect(key).toMatchObject({ workspaceId, reference: claim.reference, expiresAt: claim.key.expiresAt });
      expect(Buffer.from(key?.fingerprint ?? []).equals(claim.key.fingerprint)).toBe(true);
    }
  }
}

type Refusals = { n?: number; subject: string; refusal: string }[];

/**
 * What a set must have done: balances as they were but for the postings that were not refused, and every row of these. `alone`: one by
 * one, so that what comes in may go out again; together, debits count alone.
 */
async function tryOut(plans: readonly Plan[], alone: boolean, postAll: (postings: Posting[]) => Promise<Refusals>): Promise<void> {
  const postings = plans.map(postingOf);
  const legs = postings.flatMap((one) => one.legs);
  const balances = new Map<string, bigint>();
  for (const { accountId } of legs) balances.set(accountId, await balanceOf(own, accountId));
  const short = [...balances].flatMap(([id, has]) => {
    const asked = legs.reduce((sum, leg) => (leg.accountId === id && leg.amount < 0n ? sum - leg.amount : sum), 0n);
    return asked > has ? [id] : [];
  });
  const refusals = await postAll(postings);
  for (const { refusal } of refusals) expect(refusal).toBe('insufficient_balance');
  if (!alone) expect(refusals.map(({ subject }) => subject).sort()).toEqual(short.sort());
  const refused = new Set(refusals.map(({ n }) => n));
  const good = alone || refusals.length === 0 ? postings.filter((_, n) => !refused.has(n)) : [];
  for (const { accountId, amount } of good.flatMap((one) => one.legs)) balances.set(accountId, (balances.get(accountId) ?? 0n) + amount);
  for (const [id, balance] of balances) expect(await balanceOf(own, id)).toBe(balance);
  await check(good);
}

describe('a set of every mixture', { timeout: 60_000 }, () => {
  it('is posted whole or not at all, each row as it was given', async () => {
    const together = async (postings: Posting[]): Promise<Refusals> => query(own, postSet, encodeSet(postings));
    await fc.assert(
      fc.asyncProperty(sets, (plans) => tryOut(plans, false, together)),
      { numRuns: 30 },
    );
  });

  it('is posted one by one, each row as it was given', async () => {
    const each = async (postings: Posting[]): Promise<Refusals> =>
      query(own, postEach, [JSON.stringify(postings.map((one) => encodeSet([one])))]);
    await fc.assert(
      fc.asyncProperty(sets, (plans) => tryOut(plans, true, each)),
      { numRuns: 30 },
    );
  });
});
