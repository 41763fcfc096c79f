// Changes of a stream that move no money: a new rate, a pause, going on after one (CONTRACT.md 3). Each holds the lock of the row and
// begins with what has happened to the stream by itself.
import type { Prisma, Stream } from '../../generated/prisma/client.js';
import { guardsOf, posting } from '../../ledger/posting.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { type FieldIssue, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, wrongStatus } from '../../platform/lifecycle.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { initiatorOf } from '../spending/approval/approval-request.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import { workspaceGuard } from '../spending/pipeline/pipeline.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { writeOperation } from '../usage/operation.js';
import { accruedAt, checkpointed, type Flow, isOpenFlow } from './accrual.js';
import { type FlowChange, saveFlow, settleStream } from './checkpoint.js';
import { unitsPerMinor, unitsPerMs } from './flow-rate.js';
import type { UpdateStreamInput } from './stream.input.js';
import { checkStreamSide, flowOf, lockStream, type StreamView, streamLifecycle, streamRow, viewOf } from './stream.js';
import { flowRateOf } from './stream-request.js';

/** A stream that is being changed: its row is locked, and up to date but for what flows. */
export interface Changing {
  row: Stream;
  flow: Flow;
  at: Date;
}

/** Locks a stream that the actor may change from that side of it. One that has come to its end is `completed`. */
export async function beginChange(ctx: Ctx, tx: Tx, id: string, side: 'payer' | 'payee'): Promise<Changing> {
  const locked = await lockStream(ctx, tx, id);
  checkStreamSide(ctx, locked, side);
  const { row, end } = await settleStream(ctx, tx, locked);
  const found: Stream = end === null ? row : { ...row, status: 'completed' };
  return { row: found, flow: flowOf(found), at: ctx.clock.now() };
}

/** 409 for a stream that waits for its approval, or has ended. */
export function checkOpen({ row }: Changing): void {
  if (isOpenFlow(row)) return;
  const message = row.status === 'pending' ? 'The stream is waiting for an approval.' : `The stream is ${row.status}, which is final.`;
  throw wrongStatus(streamLifecycle, printId('stream', row.id), row.status, ['active', 'paused', 'exhausted'], message);
}

/** Locks the eligibility of whoever pays a stream, before the stream is locked. 404. */
export async function lockPayerOf(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  const { fromAccountId: accountId, fromWalletId: walletId, fromAgentId, agentId } = await streamRow(within(ctx, tx), id);
  await lockEligibility(tx, { workspaceId: ctx.workspace.id, accountId, walletId, agentIds: [fromAgentId, agentId] });
}

// Gap G-140: An open stream can be changed, also paused or exhausted; `max_total` must exceed what has flowed, null removes it.
/** Changes the rate, the maximum or the metadata of a stream that is open, from now on. 400, 403, 404, 409. */
export function updateStream(ctx: Ctx, input: UpdateStreamInput & { id: string }): Promise<StreamView> {
  const { id, metadata } = input;
  const rate = flowRateOf(input);
  return changed(ctx, id, 'update', async (tx) => {
    const changing = await beginChange(ctx, tx, id, 'payer');
    checkOpen(changing);
    const { row, flow, at } = changing;
    const maxTotal = input.maxTotal === undefined ? flow.maxTotal : maxTotalOf(input.maxTotal, changing);
    const next = checkpointed(flow, at, { maxTotal, ...(rate && { rateUnits: unitsPerMs(rate) }) });
    const change: FlowChange = { ...(rate && { rate }), ...(metadata != null && { metadata: metadata as Prisma.InputJsonObject }) };
    const isSame = maxTotal === flow.maxTotal && Object.keys(change).length === 0;
    return isSame ? null : saveFlow(ctx, tx, row, next, change);
  });
}

/** A maximum is more than what has flowed: a stream that has come to it would have ended. */
function maxTotalOf(text: string | null, { row, flow, at }: Changing): bigint | null {
  if (text === null) return null;
  const most = parseMinor(text, row.currency, ['maxTotal']);
  const accrued = accruedAt(flow, at);
  if (most * unitsPerMinor(row.currency) > accrued) return most;
  const flowed = formatMinor(accrued / unitsPerMinor(row.currency), row.currency);
  const issue: FieldIssue = { path: ['maxTotal'], message: `must be more than what has flowed already, ${flowed}`, rule: 'min' };
  throw new ValidationFailed([issue]);
}

/** Stops what flows, until somebody resumes it. 409 unless it is active. */
export function pauseStream(ctx: Ctx, id: string): Promise<StreamView> {
  return changed(ctx, id, 'pause', async (tx) => {
    const { row, flow, at } = await beginChange(ctx, tx, id, 'payer');
    checkStep(streamLifecycle, printId('stream', id), row.status, 'paused');
    return saveFlow(ctx, tx, row, checkpointed(flow, at, { status: 'paused' }), { statusReason: null });
  });
}

/** Lets a paused stream flow again. 409 unless it is paused, 403 while its payer may not spend. */
export function resumeStream(ctx: Ctx, id: string): Promise<StreamView> {
  return changed(ctx, id, 'resume', async (tx) => {
    await lockPayerOf(ctx, tx, id);
    const { row, flow, at } = await beginChange(ctx, tx, id, 'payer');
    // What is exhausted becomes active too, by a top-up.
    if (row.status !== 'paused') throw notPaused(row);
    const saved = await saveFlow(ctx, tx, row, checkpointed(flow, at, { status: 'active' }), { statusReason: null });
    await checkPayer(ctx, tx, saved, at);
    return saved;
  });
}

function notPaused({ id, status }: Stream): StateConflict {
  const printed = printId('stream', id);
  const message = `The stream is ${status}; only a paused one can be resumed.`;
  const { details } = wrongStatus(streamLifecycle, printed, status, status === 'exhausted' ? ['active'] : ['paused'], message);
  const { next_actions: actions } = details ?? {};
  return new StateConflict(message, status, ['paused'], actions === undefined ? { terminal: true } : { next_actions: actions });
}

/** Asks in a posting whether the payer may spend. 403. */
async function checkPayer(ctx: Ctx, tx: Tx, { fromWalletId, fromAgentId, agentId }: Stream, at: Date): Promise<void> {
  const agents = [...new Set([fromAgentId, agentId])].filter((id) => id !== null && id !== ctx.actor.agent?.id);
  const guards = [
    ...guardsOf(ctx),
    workspaceGuard(ctx),
    ...agents.map((id) => ({ kind: 'agent' as const, id: id as string })),
    { kind: 'payer' as const, id: fromWalletId },
  ];
  await postSpend(ctx, posting(ctx, { at, transferId: null, legs: [], guards }), { in: tx });
}

/** Runs a change in its transaction, with the operation that it is. Null: nothing was to be changed. */
async function changed(
  ctx: Ctx,
  id: string,
  name: 'update' | 'pause' | 'resume',
  work: (tx: Tx) => Promise<Stream | null>,
): Promise<StreamView> {
  const row = await transact(ctx, async (tx) => {
    const saved = await work(tx);
    if (saved === null) return streamRow(within(ctx, tx), id);
    await writeStreamOperation(ctx, tx, saved, name);
    return saved;
  });
  if (row.dueAt !== null) ringAt(ctx, 'stream', row.dueAt);
  return viewOf(ctx, row);
}

async function writeStreamOperation(ctx: Ctx, tx: Tx, row: Stream, name: string): Promise<void> {
  const { rates } = await rulebook(within(ctx, tx));
  const { actor } = ctx;
  await writeOperation(
    tx,
    {
      at: ctx.clock.now(),
      category: 'stream_action',
      operation: `stream.${name}`,
      protocol: 'internal',
      success: true,
      amount: 0n,
      currency: row.currency,
      actorType: initiatorOf(actor.type),
      actorId: actor.id,
      agentId: row.agentId ?? actor.agent?.id ?? null,
      accountId: row.fromAccountId,
      counterpartyId: row.toAccountId,
      subjectId: row.id,
      traceId: ctx.traceId ?? null,
    },
    rates,
  );
}
