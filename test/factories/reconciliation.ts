// What tests of reconciliation need: statements, and runs that have ended.
import { randomUUID } from 'node:crypto';
import { stepReport } from '../../src/contexts/reconciliation/due.js';
import { unboundedAccount } from '../../src/ledger/account.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import { move, posting } from '../../src/ledger/posting.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { newId } from '../../src/platform/schema/id.js';
import type { Client, Harness, Json } from '../harness.js';
import { ctxOf } from '../ledger/wallet-ref.js';
import { newSandbox } from './treasury.js';

/** A line of a statement of ach. */
export function line(reference: string, extra: object = {}): Json {
  return { reference, amount: '100.00', currency: 'USD', direction: 'debit', date: '2026-03-02', ...extra };
}

export function upload(client: Client, entries: Json[], rail = 'ach'): Promise<Json> {
  return client.make('/v1/reconciliation/rail-entries', { rail, entries });
}

/** The report of a run that has ended, with what it has found. */
export async function reconcile(harness: Harness, client: Client, extra: object = {}): Promise<Json> {
  const body = { rail: 'ach', date_from: '2026-03-01', date_to: '2026-03-31', ...extra };
  const { id } = await client.make('/v1/reconciliation/runs', body);
  await harness.runDue();
  return (await client.get(`/v1/reconciliation/reports/${id}`)).body.data;
}

/** A report, and a discrepancy of its own, in any environment. */
export async function reconciliationSeeds(harness: Harness, client: Client): Promise<{ report: string; discrepancy: string }> {
  await upload(client, [line(randomUUID())]);
  const { id } = await client.make('/v1/reconciliation/runs', { rail: 'ach', date_from: '2026-03-01', date_to: '2026-03-31' });
  const ctx = await ctxOf(harness, client);
  // A turn has an end: on a busy machine it takes several.
  do await stepReport(ctx, id.slice('rec_'.length));
  while ((await client.get(`/v1/reconciliation/reports/${id}`)).body.data.status === 'running');
  const [discrepancy] = (await client.get('/v1/reconciliation/discrepancies?status=open&limit=1')).body.data;
  return { report: id, discrepancy: discrepancy.id };
}

/** What a report has found, oldest first: only its type and reference. */
export function findingsOf({ discrepancies }: Json): string[] {
  return discrepancies.map(({ type, reference }: Json) => `${type} ${reference}`).sort();
}

/** A line of the ledger: on which day how much went out over ach (below zero: came in), and under which reference of a payout. */
export interface Posted {
  reference: string | null;
  minor: bigint;
  day: string;
}

/** The clearing account of ach, and a ctx of a new workspace. */
export async function newRailBooks(harness: Harness): Promise<{ client: Client; ctx: Ctx; clearing: string; world: string }> {
  const client = await newSandbox(harness);
  const ctx = await ctxOf(harness, client);
  const [clearing, world] = [await unboundedAccount(ctx, 'rail.clearing:ach', 'USD'), await unboundedAccount(ctx, 'world', 'USD')];
  return { client, ctx, clearing, world };
}

/** Posts lines, as payouts that went under their references would. Those of one reference are of one payout. */
export async function postLines(
  { ctx, clearing, world }: Awaited<ReturnType<typeof newRailBooks>>,
  lines: readonly Posted[],
): Promise<void> {
  const transfers = new Map<string, string>();
  for (const { reference, minor, day } of [...lines].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))) {
    const at = new Date(`${day}T12:00:00Z`);
    if (reference !== null && !transfers.has(reference)) {
      const [id, transferId] = [newId(at), newId(at)];
      transfers.set(reference, transferId);
      const money = { amount: 100n, fee: 0n, currency: 'USD', rail: 'ach', destinationType: 'bank', destinationRef: 'ba_1' } as const;
      const about = { id, transferId, walletId: newId(at), lane: newId(at), createdAt: at, railReference: reference };
      await ctx.db.payout.create({ data: { ...about, ...money, status: 'complete' } });
    }
    const legs = move('USD', minor, world, clearing);
    const transferId = reference === null ? null : (transfers.get(reference) ?? null);
    await postGrouped(ctx.platform.database, posting(ctx, { legs, at, transferId }));
  }
}
