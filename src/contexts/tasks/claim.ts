// Who works on a task: the first who claims an open one, or the agent that was named and accepts. A worker that does not begin in time loses
// an open task again (CONTRACT.md 11).
import type { Task } from '../../generated/prisma/client.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { systemCtx } from '../../platform/due/step.js';
import { Forbidden, NotFound, SessionRequired, StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { PolicyViolation } from '../spending/errors.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import { mandateNow } from '../spending/pipeline/mandate.js';
import { authorizeSpend } from '../spending/pipeline/pipeline.js';
import { claimOpenTask } from './claim.sql.js';
import { endTask } from './ending.js';
import { TaskAlreadyClaimed } from './errors.js';
import { notifyAssigned, notifyChange } from './notice.js';
import { namePayee, partiesOfTask, taskPayeeOf, taskProtocols } from './payment.js';
import { changeTask, checkTaskSide, isDelivered, lockTask, offeredTo, refuseTask, revokedReason, task, taskLifecycle } from './task.js';

/**
 * Takes an open task for the agent that asks. One that it has claimed already is its own, and nothing changes. 403 `session_required` for
 * whoever is no agent, 404 for a task that was not offered to it, 409 `task_already_claimed` for everybody but the first, and for one whose
 * deadline has passed.
 */
export async function claimTask(ctx: Ctx, id: string): Promise<Task> {
  const { agent } = ctx.actor;
  if (agent === undefined) {
    await task(ctx, id);
    throw new SessionRequired('Only an agent claims a task, in its own name: sign in as one.');
  }
  const claimed = await transact(ctx, async (tx) => {
    const row = await offered(tx, id, agent.id);
    if (isOwn(row, agent.id)) {
      if (row.status === 'accepted') refusePast(ctx, row);
      return row;
    }
    refuseClaimed(ctx, row);
    const payee = await receivingWallet(ctx, tx, row, agent);
    const { id: agentId, parentAccountId: accountId } = agent;
    await lockEligibility(tx, { workspaceId: ctx.workspace.id, accountId, walletId: payee?.walletId ?? null, agentIds: [agentId] });
    if (payee !== null) await refuseClosed(tx, row, payee);
    const isFirst = await claimOpenTask(ctx, tx, { id, agentId, payeeWalletId: payee?.walletId ?? null, at: ctx.clock.now() });
    const now = await tx.task.findFirstOrThrow({ where: { id } });
    if (!isFirst) {
      // Another claim of its own was quicker.
      if (isOwn(now, agent.id)) return now;
      refuseClaimed(ctx, now);
      throw refuseTask(now, ['pending'], 'The task can no longer be claimed.');
    }
    await namePayee(tx, now, payee);
    await notifyChange(ctx, tx, now, 'claimed');
    return now;
  });
  if (claimed.dueAt !== null) ringAt(ctx, 'task', claimed.dueAt);
  return claimed;
}

/** Whether the agent has claimed it: it stays its own until it loses the claim. Accepted, also one that was given to it by name. */
const isOwn = ({ toAgentId, status, open }: Task, agentId: string): boolean =>
  toAgentId === agentId && (open ? status !== 'pending' : status === 'accepted');

/** An open task that was offered to the agent, whoever has it by now. 404. */
async function offered(tx: Tx, id: string, agentId: string): Promise<Task> {
  const found = await tx.task.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  const { open, candidateAgentIds, fromAgentId, toAgentId, paymentStatus } = found;
  const isOffered =
    open && paymentStatus !== 'awaiting_approval' && (candidateAgentIds.length === 0 || candidateAgentIds.includes(agentId));
  if (fromAgentId === agentId) throw new Forbidden('An agent cannot claim its own task.');
  if (isOwn(found, agentId)) return found;
  if (toAgentId === agentId && !open) throw refuseTask(found, ['accepted'], 'The task was given to this agent: it accepts or declines it.');
  if (!isOffered) throw new NotFound();
  return found;
}

function refuseClaimed({ clock }: Ctx, row: Task): void {
  if (row.toAgentId !== null) throw new TaskAlreadyClaimed(row);
  refuseRevoked(row);
  if (row.status === 'pending' && row.deadline !== null && row.deadline <= clock.now()) {
    throw refuseTask({ id: row.id, status: 'expired' }, ['pending'], 'The deadline of the task has passed.');
  }
  if (isDelivered(row)) throw refuseTask(row, ['pending'], `The task is ${row.status}: it cannot be claimed.`);
}

/** The wallet of the agent that is paid; null for a task that is not. 409 without one, 403 where the sender's rules do not let it be paid. */
async function receivingWallet(ctx: Ctx, tx: Tx, row: Task, agent: { id: string; parentAccountId: string }): Promise<WalletRef | null> {
  const { id, status, currency, walletId } = row;
  if (currency === null) return null;
  const found = await taskPayeeOf(within(ctx, tx), agent, currency);
  // Two agents of one account without wallets of their own share that of the account.
  if (found === null || found.walletId === walletId) throw noWallet(id, status, agent.id, currency);
  await refuseUnpayable(ctx, tx, row, found);
  return found;
}

function noWallet(id: string, status: string, agentId: string, currency: string): StateConflict {
  const body = { owner_type: 'agent', owner_id: agentId, currency };
  return new StateConflict(`The task pays in ${currency}, and this agent has no wallet in it.`, status, [], {
    task_id: id,
    reason: 'no_wallet',
    next_actions: [{ rel: 'open_wallet', actor: 'api_key', method: 'POST', path: '/v1/wallets', body }],
  });
}

/** A wallet that is being closed is locked until it is: what is seen now stays so. */
async function refuseClosed(tx: Tx, { id, status, currency }: Task, { walletId, agentId, accountId }: WalletRef): Promise<void> {
  const open = await tx.wallet.findFirst({ where: { id: walletId, status: { not: 'closed' } }, select: { id: true } });
  if (open === null) throw noWallet(id, status, agentId ?? accountId, currency ?? '');
}

/** Gap G-333: Rules about payees are asked again at the claim; one that would need an approval refuses. */
const aboutPayee: ReadonlySet<string> = new Set([
  'counterparty',
  'merchant',
  'category',
  'merchant_blocked',
  'merchant_inactive',
  'merchant_not_allowed',
  'category_not_allowed',
]);

async function refuseUnpayable(ctx: Ctx, tx: Tx, row: Task, to: WalletRef): Promise<void> {
  const { amount, currency, method, fromAgentId: agentId, transferId } = row;
  if (amount === null || currency === null || method === null) return;
  const { from } = await partiesOfTask(ctx, tx, row);
  const { mandateId } = await tx.transfer.findFirstOrThrow({ where: { id: transferId ?? '' }, select: { mandateId: true } });
  const mandate = await mandateNow(ctx, tx, mandateId);
  // In the name of nobody: the agent that asks is not the one that spends.
  const asker = { ...within(ctx, tx), actor: systemCtx(ctx.platform, ctx.workspace, null).actor };
  const spend = { from, to, agentId, mandate, protocol: taskProtocols[method], currency, amount, at: ctx.clock.now() };
  const { ruleResults } = await authorizeSpend(asker, spend);
  const objections = ruleResults.results.filter(({ reason }) => aboutPayee.has(reason));
  if (objections.length === 0) return;
  if (objections.some(({ outcome }) => outcome === 'fail')) {
    throw new PolicyViolation('The rules of the agent that gave this task do not let it pay you.', {
      details: { reason: 'counterparty', terminal: true },
    });
  }
  // Whoever approved the money of an open task did not know whom it would pay.
  throw new PolicyViolation(
    'The rules of the agent that gave this task require an approval to pay you: it has to assign the task to you by name.',
    {
      details: { reason: 'approval_required', terminal: true },
    },
  );
}

/** Accepts or declines a task that was given to the agent by name. 403, 404, 409. */
export async function respondToTask(ctx: Ctx, id: string, action: 'accept' | 'decline', reason: string | null): Promise<Task> {
  const answered = await transact(ctx, async (tx) => {
    const row = await lockTask(ctx, tx, id);
    checkTaskSide(ctx, row, 'worker');
    if (row.open) throw refuseTask(row, [], 'An open task is claimed; it cannot be accepted or declined.');
    if (row.paymentStatus === 'awaiting_approval') throw refuseTask(row, [], 'The payment of the task is waiting for an approval.');
    refusePast(ctx, row);
    checkStep(taskLifecycle, id, row.status, action === 'accept' ? 'accepted' : 'declined');
    if (action === 'decline') return endTask(ctx, tx, row, 'declined', reason);
    const accepted = await changeTask(ctx, tx, row, { status: 'accepted' });
    await notifyChange(ctx, tx, accepted, 'accepted');
    return accepted;
  });
  if (answered.dueAt !== null) ringAt(ctx, 'task', answered.dueAt);
  return answered;
}

/** 409 for a task whose agent was revoked, whether or not its due step has run. */
function refuseRevoked(row: Task): void {
  if (isDelivered(row) || row.statusReason !== revokedReason) return;
  throw refuseTask(row, [], 'An agent of the task was revoked: the task is being ended.');
}

/** 409 for a task whose deadline has passed, or whose agent was revoked, whether or not its due step has run. */
export function refusePast({ clock }: Ctx, row: Task): void {
  refuseRevoked(row);
  if (isDelivered(row) || row.deadline === null || row.deadline > clock.now()) return;
  throw refuseTask({ id: row.id, status: 'expired' }, [row.status], 'The deadline of the task has passed.');
}

/** Gives a task back to those who may claim it, under its lock: its worker has not begun in time. */
export async function loseClaim(ctx: Ctx, tx: Tx, row: Task): Promise<Task> {
  const free = await changeTask(ctx, tx, row, {
    status: 'pending',
    toAgentId: null,
    payeeWalletId: null,
    claimedAt: null,
    claimDeadline: null,
    ...offeredTo(row),
  });
  await namePayee(tx, free, null);
  await notifyChange(ctx, tx, free, 'unclaimed', row.toAgentId);
  await notifyAssigned(ctx, tx, free);
  return free;
}
