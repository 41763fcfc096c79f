// Sets of every mixture against a ledger kept in TypeScript: every row must be written as it was given, and with its own posting.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LimitUse, Posting } from '../../src/ledger/posting.js';
import { encodeSet } from '../../src/ledger/posting-set.js';
import { postEach, postSet, valuesOf } from '../../src/ledger/statement.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { useHarness } from '../harness.js';
import { type Mixed, mixedOf, type Plan, planOf, type Wallet } from './mixed-plan.js';
import { balanceOf, ctxOf, query, walletRef } from './wallet-ref.js';

const harness = useHarness();
const funds = 100_000n;
let own: Ctx;
let wallets: Wallet[];
beforeAll(async () => {
  own = await ctxOf(harness, harness.test);
  const foreign = await ctxOf(harness, harness.other);
  wallets = [];
  for (const ctx of [own, own, own, foreign, foreign]) wallets.push([ctx, await walletRef(ctx, funds)]);
});
const sets = fc.array(planOf(5), { minLength: 1, maxLength: 25 });

/** Every row of a posting as it was written. */
async function checkRows({ posting, transfer, hold, events }: Mixed, before: readonly bigint[]): Promise<void> {
  const { id, workspaceId, transferId, at, limits } = posting;
  const { unscoped } = own.platform.database;
  const [row] = await query(own, 'SELECT * FROM ledger_transaction WHERE id = $1', [id]);
  // What records its transfer and uses no limits leaves no row: the transfer says all of it.
  const saysMore = transfer === null || limits.length > 0;
  const uses = limits.map(({ maximum: _, ...use }) => ({ ...use, used: String(use.used), reserved: String(use.reserved) }));
  const written = {
    workspace_id: workspaceId,
    id,
    transfer_id: transferId,
    limits: uses.length === 0 ? null : uses,
    limits_before: uses.length === 0 ? null : before.map(String),
    created_at: at,
  };
  expect(row).toEqual(saysMore ? written : undefined);
  await checkEntries(posting);
  await checkClaims(posting);
  if (transfer !== null) expect(await unscoped.transfer.findFirst({ where: { id: transfer.id } })).toEqual(transfer);
  if (hold !== null) {
    expect(await unscoped.hold.findFirst({ where: { id: hold.id } })).toEqual({
      ...hold,
      status: 'held',
      capturedAmount: 0n,
      resolvedAt: null,
    });
  }
  for (const { roles: _, ...event } of events) {
    expect(await unscoped.event.findFirst({ where: { id: event.id } })).toEqual({ ...event, workspaceId, dataOf: null });
  }
}

async function checkEntries({ id, workspaceId, legs }: Posting): Promise<void> {
  const entries = await query(own, 'SELECT * FROM ledger_entry WHERE transaction_id = $1', [id]);
  const written = entries.map((entry) => `${entry.workspace_id} ${entry.account_id} ${entry.amount} ${entry.currency}`);
  const given = legs.map((leg) => `${workspaceId} ${leg.accountId} ${leg.amount} ${leg.currency}`);
  expect(written.sort()).toEqual(given.sort());
}

async function checkClaims({ workspaceId, claims }: Posting): Promise<void> {
  for (const { kind, key, reference, fingerprint, expiresAt } of claims) {
    const claim = await own.platform.database.unscoped.claim.findFirst({ where: { kind, key } });
    expect(claim).toEqual({
      workspaceId,
      kind,
      key,
      reference: reference ?? null,
      fingerprint: fingerprint ?? null,
      expiresAt: expiresAt ?? null,
    });
  }
}

/** Faults; `n` is the index of the set that was refused. */
type Refusals = { n?: number; subject: string; refusal: string }[];

/** Accounts whose debits in the set are more than they have. */
function shortAccounts(postings: readonly Posting[], balances: ReadonlyMap<string, bigint>): string[] {
  const debits = new Map<string, bigint>();
  for (const { workspaceId, legs } of postings) {
    for (const { accountId, amount } of legs) {
      const subject = `${workspaceId} ${accountId}`;
      if (amount < 0n) debits.set(subject, (debits.get(subject) ?? 0n) - amount);
    }
  }
  return [...debits].filter(([subject, debit]) => debit > (balances.get(subject.split(' ')[1] ?? '') ?? 0n)).map(([subject]) => subject);
}

/**
 * Posts a set and checks that the balances are as they were, but for the postings that were not refused, and that each of these has
 * its rows. One by one (`each`), what comes in may go out again; together, only debits count.
 */
async function check(plans: readonly Plan[], each: boolean, postAll: (postings: Posting[]) => Promise<Refusals>): Promise<void> {
  const mixed = plans.map((plan) => mixedOf(plan, wallets));
  const postings = mixed.map(({ posting }) => posting);
  const balances = new Map<string, bigint>();
  for (const { accountId } of postings.flatMap(({ legs }) => legs)) balances.set(accountId, await balanceOf(own, accountId));
  const short = shortAccounts(postings, balances);
  const stands = await counters();
  const refusals = await postAll(postings);
  for (const { refusal } of refusals) expect(refusal).toBe('insufficient_balance');
  if (!each) expect(refusals.map(({ subject }) => subject).sort()).toEqual(short.sort());
  const refused = new Set(refusals.map(({ n }) => n));
  const posted = each || refusals.length === 0 ? mixed.filter((_, n) => !refused.has(n)) : [];
  for (const { accountId, amount } of posted.flatMap(({ posting }) => posting.legs)) {
    balances.set(accountId, (balances.get(accountId) ?? 0n) + amount);
  }
  for (const [id, balance] of balances) expect(await balanceOf(own, id)).toBe(balance);
  for (const one of posted) await checkRows(one, usesBefore(one.posting, stands));
}

const nameOf = (workspaceId: string, { counter, window }: Pick<LimitUse, 'counter' | 'window'>) => `${workspaceId} ${counter} ${window}`;

/** What every counter stands at. */
async function counters(): Promise<Map<string, bigint>> {
  const rows = await own.platform.database.unscoped.limitCounter.findMany();
  return new Map(rows.map((row) => [nameOf(row.workspaceId, row), row.used + row.reserved]));
}

/** What the counter of each use stood at before it; `stands` is moved on. */
function usesBefore({ workspaceId, limits }: Posting, stands: Map<string, bigint>): bigint[] {
  return limits.map((use) => {
    const before = stands.get(nameOf(workspaceId, use)) ?? 0n;
    stands.set(nameOf(workspaceId, use), before + use.used + use.reserved);
    return before;
  });
}

describe('a set of every mixture', { timeout: 120_000 }, () => {
  it('is posted whole or not at all, each row as it was given', async () => {
    const together = async (postings: Posting[]): Promise<Refusals> => query(own, postSet.text, valuesOf(encodeSet(postings)));
    await fc.assert(
      fc.asyncProperty(sets, (plans) => check(plans, false, together)),
      { numRuns: 30 },
    );
  });

  it('is posted one by one, each row as it was given', async () => {
    const oneByOne = async (postings: Posting[]): Promise<Refusals> =>
      query(own, postEach.text, [JSON.stringify(postings.map((one) => encodeSet([one])))]);
    await fc.assert(
      fc.asyncProperty(sets, (plans) => check(plans, true, oneByOne)),
      { numRuns: 30 },
    );
  });
});
