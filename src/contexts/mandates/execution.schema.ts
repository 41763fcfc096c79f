// The GraphQL face of executions of mandates.
import type { Transfer, TransferStatus } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { parseId } from '../../platform/schema/id.js';
import { approval } from '../spending/approval/approval.js';
import { ApproveApprovalPayload, pendingApproval } from '../spending/approval/approval.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { merchantOf } from '../transfers/events.js';
import { requestErrors } from '../transfers/transfer.schema.js';
import { transfer } from '../transfers/transfer-list.js';
import { ExecuteMandateInput } from './execution.input.js';
import { dryRunExecution, executeMandate, executions, type MadeExecution } from './execution.js';
import { useOfMandate } from './mandate-use.js';
import { rest } from './rest.js';

const statuses = ['pending', 'completed', 'failed', 'cancelled'] as const;
const ExecutionStatus = builder.enumType('MandateExecutionStatus', { values: statuses });
type Status = (typeof statuses)[number];

const statusOf = (status: TransferStatus): Status => (status === 'processing' ? 'pending' : status);

export const Execution = builder.objectRef<Transfer>('MandateExecution').implement({
  description: 'A spend by a mandate. It is told as the transfer that it is, too.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MandateExecutionId' }),
    executionId: t.expose('id', { type: 'MandateExecutionId', description: 'The same.' }),
    mandateId: t.expose('mandateId', { type: 'MandateId', nullable: true }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true }),
    merchantId: t.field({
      type: 'MerchantId',
      nullable: true,
      description: 'Null for a transfer to somebody who is no merchant.',
      resolve: (row) => parseId('merchant', merchantOf(row)),
    }),
    amount: t.field({ type: 'Amount', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    status: t.field({ type: ExecutionStatus, resolve: ({ status }) => statusOf(status) }),
    remainingDaily: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What the mandate has left now; null without such a limit.',
      resolve: async (row, _args, ctx) => (await useOfMandate(ctx, row.mandateId ?? ''))?.remainingDaily,
    }),
    remainingMonthly: t.field({
      type: 'Amount',
      nullable: true,
      resolve: async (row, _args, ctx) => (await useOfMandate(ctx, row.mandateId ?? ''))?.remainingMonthly,
    }),
    transferId: t.expose('id', { type: 'TransferId' }),
    approvalId: t.expose('approvalId', { type: 'ApprovalId', nullable: true }),
    description: t.exposeString('description', { nullable: true }),
    executedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const ExecutionPage = pageOf(Execution, 'MandateExecution');

const ExecutionPayload = builder.objectRef<MadeExecution>('MandateExecutionPayload').implement({
  description: 'An execution, and the approval that it waits for, if it does.',
  fields: (t) => ({
    execution: t.field({ type: Execution, resolve: (made) => made.execution }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function executionPayload(ctx: Ctx, id: string): Promise<MadeExecution> {
  const execution = await transfer(ctx, id);
  return { execution, approval: execution.approvalId === null ? null : await approval(ctx, execution.approvalId) };
}

const executionErrors = [...requestErrors, ...postingErrors];

builder.queryField('mandateExecutions', (t) =>
  t.field({
    route: rest('GET /v1/ap2/mandates/{id}/executions'),
    type: ExecutionPage,
    description: 'The executions of a mandate.',
    args: { id: t.arg({ type: 'MandateId' }), ...pageArgs(t) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, ...page }, ctx) => executions(ctx, id, page),
  }),
);

builder.mutationFields((t) => ({
  executeMandate: t.field({
    route: rest('POST /v1/ap2/mandates/{id}/execute', 'Spend by a mandate at a merchant.', {
      status: 201,
      body: 'execution',
      accepted: 'approval',
    }),
    type: ExecutionPayload,
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: ExecuteMandateInput }) },
    ...facts({ errors: executionErrors }),
    resolve: once((ctx, { id, input }) => executeMandate(ctx, id, input), executionPayload),
  }),
  dryRunMandate: t.field({
    route: rest('POST /v1/ap2/mandates/{id}/execute', 'Say what an execution would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: ExecuteMandateInput }) },
    ...facts({ effect: 'none', errors: executionErrors }),
    resolve: (_root, { id, input }, ctx) => dryRunExecution(ctx, id, input),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'execution', (t) =>
  t.field({
    type: Execution,
    nullable: true,
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) =>
      subjectType === 'mandate_execution' ? transfer(ctx, subjectId) : null,
  }),
);
