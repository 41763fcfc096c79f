// What senders ask for: a task for an agent that they name, or for whoever claims it, with its money in escrow (CONTRACT.md 11).
import { type Agent, Prisma, type Skill, type Task, type Transfer } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { agentRevoked } from '../agents/agent.js';
import { findSkill } from '../skills/skill.js';
import { initiatorOf } from '../spending/approval/approval-request.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import type { SpendForm, SpendResult } from '../spending/pipeline/execution.js';
import { type SpendPlan, spendMutation } from '../spending/pipeline/spend-mutation.js';
import { notifyAssigned } from './notice.js';
import { draftTaskPayment, openEscrow, planTaskPayment, type TaskPaymentPlan, taskPriceOf } from './payment.js';
import { checkPrice, type TaskRequest } from './price.js';
import type { CreateTaskInput } from './task.input.js';
import { offeredTo, shownTo, task, withDue } from './task.js';
import { type Json, readTerms, requestedPrice } from './terms.js';

const claimSeconds = 600;
const reviewSeconds = 1_800;
/** The latest deadline, from now. */
const furthestSeconds = 366 * 86_400;

/**
 * `create` gives a task to an agent, or offers it to those who may claim it; its money goes into escrow, or waits for an approval. 400, 404,
 * 409 for a revoked agent, 422 and what refuses a spend.
 */
export const taskMutation = spendMutation({
  terms: termsOf,
  plan: planTask,
  insert: async (ctx, tx, plan: Plan, spent: SpendResult<Transfer> | null) => ({
    task: await insertTask(ctx, tx, plan, spent?.approval?.id ?? null),
  }),
  due: ({ task: { dueAt } }) => ['task', dueAt],
  reference: ({ task: { id } }) => id,
  read: async (ctx, id) => {
    const made = await task(ctx, id);
    return { task: made, approvalId: made.approvalId };
  },
});

interface Plan {
  id: string;
  at: Date;
  input: TaskRequest;
  fromAgent: Agent;
  toAgent: Agent | null;
  acceptance: Json | null;
  payment: TaskPaymentPlan | null;
  spend: SpendPlan<Transfer> | null;
}

interface Terms {
  skill: Skill | null;
  acceptance: Json | null;
}

/** The skill that the task names, and what its deliverable has to fit. 400. */
async function termsOf(ctx: Ctx, input: TaskRequest): Promise<Terms> {
  checkDeadline(input, ctx.clock.now());
  const skill = input.toAgentId == null ? null : await findSkill(ctx.db, input.toAgentId, input.skillId);
  return { skill, acceptance: await readTerms(ctx, skill, input.payload, input.acceptance?.jsonSchema) };
}

/** Reads the parties and what binds them, keeps the standing of the payer and of the worker, and opens the escrow. */
async function planTask(ctx: Ctx, tx: Tx, input: TaskRequest, { skill, acceptance }: Terms): Promise<Plan> {
  const reader = within(ctx, tx);
  const at = ctx.clock.now();
  const fromAgent = await senderOf(reader, input);
  const toAgent = input.toAgentId == null ? null : await agentNamed(reader, input.toAgentId, ['toAgentId']);
  await checkCandidates(reader, input, fromAgent.id);
  const head = { id: newId(at), at, input, fromAgent, toAgent, acceptance };
  const payment = await escrowed(ctx, tx, head, skill);
  if (payment === null) return { ...head, payment, spend: null };
  const draft = (form: SpendForm) => draftTaskPayment(ctx, head.id, payment, form);
  return { ...head, payment, spend: { authority: payment.authority, draft, requestApproval: input.requestApproval === true } };
}

async function escrowed(ctx: Ctx, tx: Tx, head: Omit<Plan, 'payment' | 'spend'>, skill: Skill | null): Promise<TaskPaymentPlan | null> {
  const { id, at, input, fromAgent, toAgent } = head;
  const agentIds = [fromAgent.id, toAgent?.id ?? null];
  const workspaceId = ctx.workspace.id;
  if (input.payment == null) {
    await lockEligibility(tx, { workspaceId, accountId: fromAgent.parentAccountId, walletId: null, agentIds });
    return null;
  }
  const price = taskPriceOf(input.payment, requestedPrice(skill));
  await checkPrice(ctx, tx, { input, payment: input.payment, price, skill });
  const plan = await planTaskPayment(within(ctx, tx), {
    taskId: id,
    payment: input.payment,
    price,
    fromAgent,
    toAgent,
    at,
    request: { path: '/v1/a2a/tasks', body: () => ctx.platform.printInput('CreateTaskInput', input), amountMember: null },
    requestApproval: input.requestApproval === true,
  });
  const { walletId, accountId, agentId } = plan.from;
  await lockEligibility(tx, { workspaceId, walletId, accountId, agentIds: [...agentIds, agentId] });
  return { ...plan, escrowAccountId: await openEscrow(ctx, tx, id, plan.currency) };
}

/** 400 for a deadline that has passed, or that is too far away. */
export function checkDeadline({ deadline }: Pick<CreateTaskInput, 'deadline'>, at: Date): void {
  if (deadline == null) return;
  const fail = (message: string) => new ValidationFailed([{ path: ['deadline'], message, rule: 'time' }]);
  if (deadline <= at) throw fail('must be in the future');
  if (deadline > addSeconds(at, furthestSeconds)) throw fail('must be within a year');
}

/** The agent that gives the task: the one that asks, or the one that an operator names. 400, 404, 409. */
async function senderOf(ctx: Ctx, { fromAgentId }: CreateTaskInput): Promise<Agent> {
  const own = ctx.actor.agent?.id;
  const id = fromAgentId ?? own;
  if (id === undefined) {
    throw new ValidationFailed([{ path: ['fromAgentId'], message: 'is required: the agent that gives the task', rule: 'required' }]);
  }
  if (own !== undefined && id !== own) throw new NotFound('fromAgentId');
  return agentNamed(ctx, id, ['fromAgentId']);
}

/** An agent of the workspace, whoever asks: agents hire each other. 404, 409 for one that is revoked. */
async function agentNamed(ctx: Ctx, id: string, path: readonly string[]): Promise<Agent> {
  const found = await ctx.db.agent.findFirst({ where: { id } });
  if (found === null) throw new NotFound(...path);
  if (found.status === 'revoked') throw agentRevoked(found);
  return found;
}

async function checkCandidates(ctx: Ctx, { toAgentId, candidateAgentIds }: CreateTaskInput, senderId: string): Promise<void> {
  const fail = (path: readonly (string | number)[], message: string, rule: string) => new ValidationFailed([{ path, message, rule }]);
  if (toAgentId === senderId) throw fail(['toAgentId'], 'is the agent that gives the task', 'sender');
  const named = candidateAgentIds ?? [];
  if (named.length === 0) return;
  if (toAgentId != null)
    throw fail(['candidateAgentIds'], 'goes with a task that anybody of them may claim: leave to_agent_id out', 'unexpected');
  const at = named.findIndex((id, index) => id === senderId || named.indexOf(id) < index);
  if (at !== -1) throw fail(['candidateAgentIds', at], 'is the agent that gives the task, or named before', 'unique');
  const found = await ctx.db.agent.findMany({ where: { id: { in: [...named] } }, select: { id: true } });
  if (found.length < named.length) throw new NotFound('candidateAgentIds');
}

async function insertTask(ctx: Ctx, tx: Tx, plan: Plan, approvalId: string | null): Promise<Task> {
  const { id, at, input, fromAgent, toAgent, acceptance, payment } = plan;
  const candidateAgentIds = [...(input.candidateAgentIds ?? [])];
  const ready = toAgent === null ? offeredTo({ candidateAgentIds }) : shownTo('worker');
  const row = withDue({
    ...paymentRow(payment, approvalId),
    id,
    fromAgentId: fromAgent.id,
    toAgentId: toAgent?.id ?? null,
    skillId: input.skillId,
    status: 'pending',
    open: toAgent === null,
    candidateAgentIds,
    ...(approvalId === null ? ready : shownTo('sender')),
    payload: input.payload,
    contextId: input.contextId ?? id,
    acceptanceSchema: acceptance,
    claimTimeoutSeconds: input.claimTimeoutSeconds ?? claimSeconds,
    reviewWindowSeconds: input.reviewWindowSeconds ?? reviewSeconds,
    deadline: input.deadline ?? null,
    createdByType: initiatorOf(ctx.actor.type),
    createdById: ctx.actor.id,
    traceId: ctx.traceId ?? null,
    createdAt: at,
    updatedAt: at,
  } as Task);
  const { acceptanceSchema, payload, ...plain } = row;
  const made = await tx.task.create({
    data: {
      ...(plain as Prisma.TaskUncheckedCreateInput),
      payload: payload as Prisma.InputJsonObject,
      acceptanceSchema: acceptanceSchema === null ? Prisma.DbNull : (acceptanceSchema as Prisma.InputJsonObject),
    },
  });
  await notifyAssigned(ctx, tx, made);
  return made;
}

function paymentRow(payment: TaskPaymentPlan | null, approvalId: string | null): Partial<Task> {
  if (payment === null) return {};
  const { amount, currency, method, transferId, from, to } = payment;
  return {
    amount,
    currency,
    method,
    paymentStatus: approvalId === null ? 'reserved' : 'awaiting_approval',
    walletId: from.walletId,
    payeeWalletId: to?.walletId ?? null,
    transferId,
    approvalId,
  };
}
