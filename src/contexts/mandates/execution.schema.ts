// The GraphQL face of executions of mandates.
import type { Transfer, TransferStatus } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { parseId } from '../../platform/schema/id.js';
import { awaitedApproval } from '../spending/approval/approval.js';
import { ApproveApprovalPayload, pendingApproval } from '../spending/approval/approval.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { merchantOf } from '../transfers/events.js';
import { transfer } from '../transfers/transfer-list.js';
import { requestErrors } from '../transfers/transfer-request.schema.js';
import { ExecuteMandateInput } from './execution.input.js';
import { dryRunExecution, executeMandate, executions, type MadeExecution } from './execution.js';
import { useOfMandate } from './mandate-use.js';
import { rest } from './rest.js';

const statuses = ['pending', 'completed', 'failed', 'cancelled'] as const;
const ExecutionStatus = builder.enumType('MandateExecutionStatus', {
  description: '`pending`: held or waits for an approval. `completed`, `failed` and `cancelled`: final.',
  values: statuses,
});
type Status = (typeof statuses)[number];

const statusOf = (status: TransferStatus): Status => (status === 'processing' ? 'pending' : status);

export const Execution = builder.objectRef<Transfer>('MandateExecution').implement({
  description: 'A spend under a mandate; it is also shown as its transfer.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MandateExecutionId' }),
    executionId: t.expose('id', { type: 'MandateExecutionId', description: 'The same as `id`.' }),
    mandateId: t.expose('mandateId', {
      type: 'MandateId',
      nullable: true,
      description: "The mandate; null for those who see only the payee's side.",
    }),
    agentId: t.expose('agentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that spends; null where it is not shown to you.',
    }),
    merchantId: t.field({
      type: 'MerchantId',
      nullable: true,
      description: 'The merchant that is paid; null where the payee is none.',
      resolve: (row) => parseId('merchant', merchantOf(row)),
    }),
    amount: t.field({
      type: 'Amount',
      description: 'What is paid, in `currency`.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    status: t.field({ type: ExecutionStatus, resolve: ({ status }) => statusOf(status) }),
    remainingDaily: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What the mandate still allows today; null without such a limit.',
      resolve: async (row, _args, ctx) => (await useOfMandate(ctx, row.mandateId ?? ''))?.remainingDaily,
    }),
    remainingMonthly: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What the mandate still allows this month; null without such a limit.',
      resolve: async (row, _args, ctx) => (await useOfMandate(ctx, row.mandateId ?? ''))?.remainingMonthly,
    }),
    transferId: t.expose('id', { type: 'TransferId', description: 'The transfer that carries it out.' }),
    approvalId: t.expose('approvalId', {
      type: 'ApprovalId',
      nullable: true,
      description: 'The approval that it waits or waited for; null without one.',
    }),
    description: t.exposeString('description', { nullable: true, description: 'Text for people; null where none was given.' }),
    executedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When it was completed; null before.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const ExecutionPage = pageOf(Execution, 'MandateExecution');

const ExecutionPayload = builder.objectRef<MadeExecution>('MandateExecutionPayload').implement({
  description: 'An execution, and the approval that it waits for, if any.',
  fields: (t) => ({
    execution: t.field({ type: Execution, description: 'The execution as it was created.', resolve: (made) => made.execution }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function executionPayload(ctx: Ctx, id: string): Promise<MadeExecution> {
  const execution = await transfer(ctx, id);
  return { execution, approval: await awaitedApproval(ctx, execution.approvalId) };
}

const executionErrors = [...requestErrors, ...postingErrors];

builder.queryField('mandateExecutions', (t) =>
  t.field({
    route: rest(
      'GET /v1/ap2/mandates/{id}/executions',
      'List the executions of a mandate, newest first. Every transfer that presented the mandate is included.',
    ),
    type: ExecutionPage,
    authScopes: { audience: 'any', scope: 'mandates:read' },
    args: { id: t.arg({ type: 'MandateId' }), ...pageArgs(t) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, ...page }, ctx) => executions(ctx, id, page),
  }),
);

builder.mutationFields((t) => ({
  executeMandate: t.field({
    route: rest(
      'POST /v1/ap2/mandates/{id}/execute',
      'Spend under a mandate at a merchant. The mandate is checked first, then the spend pipeline; the money moves at once, or is held for a capture or an approval (202). A revoked, expired or replaced mandate is 409 or 422. Emits `ap2.mandate.executed` when it has paid.',
      {
        status: 201,
        body: 'execution',
        accepted: 'approval',
      },
    ),
    type: ExecutionPayload,
    authScopes: { audience: 'any', scope: 'mandates:write' },
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: ExecuteMandateInput }) },
    ...facts({ errors: executionErrors }),
    resolve: once((ctx, { id, input }) => executeMandate(ctx, id, input), executionPayload),
  }),
  dryRunMandate: t.field({
    route: rest(
      'POST /v1/ap2/mandates/{id}/execute',
      'Show what an execution would do, without doing it. What is wrong with the mandate itself is an error; a refusal by the spend pipeline is part of the answer.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'mandates:write' },
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: ExecuteMandateInput }) },
    ...facts({ effect: 'none', errors: executionErrors }),
    resolve: (_root, { id, input }, ctx) => dryRunExecution(ctx, id, input),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'execution', (t) =>
  t.field({
    type: Execution,
    nullable: true,
    description: 'The mandate execution that was approved; else null.',
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) =>
      subjectType === 'mandate_execution' ? transfer(ctx, subjectId) : null,
  }),
);
