// A dispute says that a completed transfer was not right. The other side answers within 30 days, or it is escalated; the tenant resolves
// it, and a resolution may refund (CONTRACT.md 13).
import type { Dispute, DisputeReason, DisputeStatus, Prisma, RefundReason } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { AlreadyExists, declareError, NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, type Lifecycle } from '../../platform/lifecycle.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { partiesOf } from '../transfers/transfer.js';
import type { CreateDisputeInput, ResolveDisputeInput, RespondToDisputeInput } from './dispute.input.js';
import { NotYourSide } from './errors.js';
import { escrowOf } from './escrow.js';
import { piecesOf } from './evidence-piece.js';
import { fileDispute, ringDispute, shown, toldOutcome } from './filing.js';
import { tooMuchDisputed, tooMuchResolved } from './overpayment.js';
import { agentsOf, lockTransfer, refund, withWallets } from './refund.js';
import { restOf } from './refundable.js';

const day = 86_400;
/** So long after its completion a transfer can be disputed. */
const filingSeconds = 120 * day;

export const disputeLifecycle: Lifecycle<DisputeStatus> = {
  noun: 'dispute',
  path: '/v1/disputes/{id}',
  steps: {
    open: ['under_review', 'escalated', 'resolved'],
    under_review: ['escalated', 'resolved'],
    escalated: ['resolved'],
    resolved: [],
  },
  requests: [
    { to: 'under_review', rel: 'respond', actor: 'any', method: 'POST', path: '/respond' },
    { to: 'escalated', rel: 'escalate', actor: 'any', method: 'POST', path: '/escalate' },
    { to: 'resolved', rel: 'resolve', actor: 'api_key', method: 'POST', path: '/resolve' },
  ],
};

/** 403: the tenant resolves, not an agent, which may only withdraw what it filed. */
export class ResolvedByTenant extends declareError(403, 'forbidden') {
  constructor() {
    super('A dispute is resolved with an API key. The side that filed it may withdraw it.', { details: { terminal: true } });
  }
}

/** Files a dispute for the payer's side. 409 after 120 days, for a transfer that is not refunded, and where one is open already. */
export async function createDispute(ctx: Ctx, input: CreateDisputeInput): Promise<Dispute> {
  const evidence = await piecesOf(ctx, input.evidence, () => input.transferId);
  const filed = await transact(ctx, async (tx) => {
    const transfer = withWallets(ctx, await lockTransfer(ctx, tx, input.transferId, 'transferId'));
    const parties = await partiesOf(within(ctx, tx), transfer);
    const agents = agentsOf(transfer, parties);
    checkSide(ctx, [agents.payerAgentId], 'An agent can dispute only what it paid.');
    const at = ctx.clock.now();
    checkFilingTime(transfer.completedAt ?? transfer.createdAt, at);
    await checkNoneOpen(tx, transfer.id);
    const { currency } = transfer;
    const rest = restOf(transfer);
    const amount = input.amountDisputed == null ? rest : parseMinor(input.amountDisputed, currency, ['amountDisputed']);
    if (amount > rest || amount <= 0n) throw tooMuchDisputed(ctx, input, rest, currency);
    const { reason, description, requestedResolution = null } = input;
    return fileDispute(ctx, tx, { transferId: transfer.id, reason, description, evidence, requestedResolution, amount, currency, agents });
  });
  ringDispute(ctx, filed);
  return filed;
}

// Gap G-128: The payer's side files and withdraws, the payee's side answers, either escalates; only a tenant resolves.
function checkSide({ actor }: Ctx, agentIds: readonly (string | null)[], message: string): void {
  if (actor.agent !== undefined && !agentIds.includes(actor.agent.id)) throw new NotYourSide(message);
}

function checkFilingTime(completedAt: Date, at: Date): void {
  if (at <= addSeconds(completedAt, filingSeconds)) return;
  throw new StateConflict('A transfer can be disputed for 120 days after its completion.', 'completed', [], {
    reason: 'window_closed',
    terminal: true,
  });
}

async function checkNoneOpen(tx: Tx, transferId: string): Promise<void> {
  const open = await tx.dispute.findFirst({ where: { transferId, status: { not: 'resolved' } }, select: { id: true } });
  if (open === null) return;
  const path = `/v1/disputes/${printId('dispute', open.id)}`;
  throw new AlreadyExists('This transfer already has an open dispute.', {
    details: { next_actions: [{ rel: 'existing', actor: 'any', method: 'GET', path }] },
  });
}

/** The payee's side answers, once and in time. 409 when it is no longer open. */
export async function respondToDispute(ctx: Ctx, { id, response, ...given }: RespondToDisputeInput & { id: string }): Promise<Dispute> {
  const evidence = await piecesOf(ctx, given.evidence, async () => (await disputeById(ctx, id)).transferId);
  return transact(ctx, async (tx) => {
    const dispute = await lockDispute(ctx, tx, id);
    checkSide(ctx, [dispute.payeeAgentId], 'Only the side that was paid can answer a dispute.');
    const at = ctx.clock.now();
    // Whether or not its step has run.
    const status = dispute.status === 'open' && dispute.respondBy <= at ? 'escalated' : dispute.status;
    checkStep(disputeLifecycle, printId('dispute', id), status, 'under_review');
    const pieces = [...(dispute.evidence as unknown[]), ...(shown('payee', evidence, at) as unknown[])];
    const data = { status: 'under_review', response, evidence: pieces as Prisma.InputJsonValue, respondedAt: at } as const;
    return toldOutcome(tx, await tx.dispute.update({ where: rowKey(ctx, id), data: { ...data, ...settledAt(at) } }));
  });
}

/** Either side asks the tenant to look. */
export function escalateDispute(ctx: Ctx, id: string): Promise<Dispute> {
  return transact(ctx, async (tx) => {
    const dispute = await lockDispute(ctx, tx, id);
    checkStep(disputeLifecycle, printId('dispute', id), dispute.status, 'escalated');
    return escalate(ctx, tx, id);
  });
}

/** The due step of a dispute: nobody has answered in time. */
export async function stepDispute(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const dispute = await lockDispute(ctx, tx, id);
    const isDue = dispute.status === 'open' && dispute.dueAt !== null && dispute.dueAt <= ctx.clock.now();
    return isDue ? escalate(ctx, tx, id) : dispute;
  });
}

async function escalate(ctx: Ctx, tx: Tx, id: string): Promise<Dispute> {
  const at = ctx.clock.now();
  const data = { status: 'escalated', escalatedAt: at, ...settledAt(at) } as const;
  return toldOutcome(tx, await tx.dispute.update({ where: rowKey(ctx, id), data }));
}

/** A change after which nothing is due any more. */
function settledAt(updatedAt: Date) {
  return { updatedAt, dueAt: null, leaseUntil: null };
}

/** Ends a dispute: with a refund of what was disputed or a part of it, or without one. What a refund is refused with leaves it open. */
export function resolveDispute(ctx: Ctx, input: ResolveDisputeInput & { id: string }): Promise<Dispute> {
  const { id, resolution, notes } = input;
  checkResolution(input);
  return transact(ctx, async (tx) => {
    const dispute = await lockDispute(ctx, tx, id);
    if (ctx.actor.agent !== undefined && resolution !== 'withdrawn') throw new ResolvedByTenant();
    checkSide(ctx, [dispute.payerAgentId], 'Only the side that filed a dispute can withdraw it.');
    checkStep(disputeLifecycle, printId('dispute', id), dispute.status, 'resolved');
    const at = ctx.clock.now();
    const refundId = await executeResolution(ctx, tx, dispute, input);
    const resolved = await tx.dispute.update({
      where: rowKey(ctx, id),
      data: { status: 'resolved', resolution, notes: notes ?? null, refundId, resolvedAt: at, ...settledAt(at) },
    });
    return toldOutcome(tx, resolved);
  });
}

function checkResolution({ resolution, refundAmount }: ResolveDisputeInput & { id: string }): void {
  const isPart = resolution === 'refund_partial';
  if (isPart === (refundAmount != null)) return;
  const message = isPart ? 'is required for refund_partial' : 'goes with refund_partial';
  throw new ValidationFailed([{ path: ['refundAmount'], message, rule: isPart ? 'required' : 'unexpected' }]);
}

const reasons: Record<DisputeReason, RefundReason> = {
  service_not_received: 'service_not_rendered',
  duplicate_charge: 'duplicate_payment',
  unauthorized: 'unauthorized',
  amount_incorrect: 'amount_incorrect',
  quality_issue: 'customer_request',
  other: 'other',
};

/** Sends back what the resolution says: as a refund, whose id it answers, or out of what is still in escrow. */
async function executeResolution(
  ctx: Ctx,
  tx: Tx,
  dispute: Dispute,
  { resolution, refundAmount }: ResolveDisputeInput & { id: string },
): Promise<string | null> {
  const { amountDisputed, currency, transferId } = dispute;
  const part = refundAmount == null ? null : parseMinor(refundAmount, currency, ['refundAmount']);
  if (part !== null && part > amountDisputed) {
    const message = `is more than the ${formatMinor(amountDisputed, currency)} disputed`;
    throw new ValidationFailed([{ path: ['refundAmount'], message, rule: 'max' }]);
  }
  const isRefunded = resolution.startsWith('refund');
  const escrow = escrowOf(ctx, await tx.transfer.findFirstOrThrow({ where: { id: transferId } }));
  if (escrow !== undefined) {
    await escrow.split(ctx, tx, dispute, isRefunded ? (part ?? amountDisputed) : 0n);
    return null;
  }
  return isRefunded ? refundDisputed(ctx, tx, dispute, part) : null;
}

async function refundDisputed(ctx: Ctx, tx: Tx, dispute: Dispute, part: bigint | null): Promise<string> {
  const { id: disputeId, transferId, amountDisputed, currency, reason } = dispute;
  const original = await lockTransfer(ctx, tx, transferId);
  const parties = await partiesOf(within(ctx, tx), original);
  const rest = restOf(original);
  // A part of it may have been refunded since.
  const amount = part === null && amountDisputed > rest ? rest : (part ?? amountDisputed);
  if (amount > rest || rest === 0n) throw tooMuchResolved(disputeId, rest, currency);
  const { id } = await refund(ctx, tx, { original, parties, amount, reason: reasons[reason], disputeId });
  return id;
}

/** An agent sees the disputes of transfers that it paid or was paid by. */
export const visibleDisputes = new Visibility<Prisma.DisputeWhereInput>({
  scope: 'refunds:read',
  agent: ({ id }) => ({ OR: [{ payerAgentId: id }, { payeeAgentId: id }] }),
});

function lockDispute(ctx: Ctx, tx: Tx, id: string): Promise<Dispute> {
  return lockRow(tx.dispute, id, { where: visibleDisputes.where(ctx) });
}

/** One dispute, as far as the actor may see it. 404 otherwise. */
export async function disputeById(ctx: Ctx, id: string): Promise<Dispute> {
  const found = await ctx.db.dispute.findFirst({ where: { AND: [{ id }, visibleDisputes.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Disputes, newest first. */
export const disputes = listOf('dispute', { visible: visibleDisputes });
