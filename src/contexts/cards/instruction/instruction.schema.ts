// The GraphQL face of instructions to card networks.
import type { CardInstruction } from '../../../generated/prisma/client.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { ApproveApprovalPayload, pendingApproval } from '../../spending/approval/approval.schema.js';
import { postingErrors } from '../../spending/pipeline/refusal.js';
import { DryRunType } from '../../transfers/dry-run.schema.js';
import type { CardNetworkName } from '../../transfers/rail.js';
import { CardNumberRefused, InstructionExceedsOriginal, NetworkNotEnrolled } from '../errors.js';
import { rest } from '../rest.js';
import { CardNetworkEnum } from '../verification/verification.input.js';
import { CreateCardInstructionInput, StatusEnum, TypeEnum } from './instruction.input.js';
import { cardInstruction, cardInstructions, type InstructionChange, queuedInstruction } from './instruction.js';
import { createInstruction, dryRunInstruction } from './instruction-request.js';

export const CardInstructionObject = builder.objectRef<CardInstruction>('CardInstruction').implement({
  description: 'What a card network is asked to do for an agent. No money of the platform moves.',
  fields: (t) => {
    const money = (description: string, of: (row: CardInstruction) => bigint | null) =>
      t.field({
        type: 'Amount',
        nullable: true,
        description,
        resolve: (row) => {
          const minor = of(row);
          return minor === null || row.currency === null ? null : formatMinor(minor, row.currency);
        },
      });
    return {
      id: t.expose('id', { type: 'CardInstructionId' }),
      agentId: t.expose('agentId', { type: 'AgentUuid' }),
      network: t.field({ type: CardNetworkEnum, resolve: ({ network }) => network as CardNetworkName }),
      type: t.expose('type', { type: TypeEnum }),
      status: t.expose('status', { type: StatusEnum }),
      payload: t.field({ type: 'JSON', resolve: ({ payload }) => payload }),
      amount: money('What is authorized or refunded.', ({ amount }) => amount),
      currency: t.expose('currency', { type: 'Currency', nullable: true }),
      merchantId: t.exposeString('merchantRef', { nullable: true, description: 'Whom it pays, as it was verified.' }),
      instructionId: t.expose('originalId', {
        type: 'CardInstructionId',
        nullable: true,
        description: 'Of a cancellation and a refund: the authorization.',
      }),
      refundedAmount: money('What refunds have given back of an authorization.', ({ type, refunded }) =>
        type === 'authorize' ? refunded : null,
      ),
      authorizationCode: t.exposeString('authorizationCode', { nullable: true, description: 'What the network calls its approval.' }),
      reasonCode: t.exposeString('reasonCode', { nullable: true, description: 'Why it was declined, has failed or was called off.' }),
      reasonMessage: t.exposeString('reasonMessage', { nullable: true }),
      decisionId: t.expose('decisionId', { type: 'DecisionId', nullable: true }),
      submittedAt: t.expose('submittedAt', { type: 'DateTime', nullable: true }),
      createdAt: t.expose('createdAt', { type: 'DateTime' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    };
  },
});
const CardInstructionPage = pageOf(CardInstructionObject, 'CardInstruction');

const CardInstructionPayload = builder.objectRef<InstructionChange>('CardInstructionPayload').implement({
  description: 'An instruction, and the approval that it waits for, if it does.',
  fields: (t) => ({
    instruction: t.field({ type: CardInstructionObject, resolve: ({ instruction }) => instruction }),
    approval: t.expose('approval', pendingApproval),
  }),
});

builder.queryFields((t) => ({
  cardInstruction: t.field({
    route: rest('GET /v1/cards/instructions/{id}', 'Read an instruction to a card network.'),
    type: CardInstructionObject,
    args: { id: t.arg({ type: 'CardInstructionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => cardInstruction(ctx, id),
  }),
  cardInstructions: t.field({
    route: rest('GET /v1/cards/instructions', 'List instructions to card networks.'),
    type: CardInstructionPage,
    args: {
      ...pageArgs(t),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      network: t.arg({ type: CardNetworkEnum, required: false }),
      type: t.arg({ type: TypeEnum, required: false }),
      status: t.arg({ type: StatusEnum, required: false }),
    },
    resolve: (_root, filter, ctx) => cardInstructions(ctx, filter),
  }),
}));

const requestErrors = [NotFound, StateConflict, CardNumberRefused, NetworkNotEnrolled];

builder.mutationFields((t) => ({
  createCardInstruction: t.field({
    route: rest('POST /v1/cards/{network}/instructions', 'Queue an authorization, a cancellation or a refund for a card network.', {
      status: 202,
      body: 'instruction',
    }),
    type: CardInstructionPayload,
    args: { network: t.arg.string({ extensions: { example: 'visa' } }), input: t.arg({ type: CreateCardInstructionInput }) },
    ...facts({ errors: [...requestErrors, InstructionExceedsOriginal, ...postingErrors] }),
    resolve: once((ctx, { network, input }) => createInstruction(ctx, { ...input, network }), queuedInstruction),
  }),
  dryRunCardInstruction: t.field({
    route: rest('POST /v1/cards/{network}/instructions', 'Say what an authorization would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { network: t.arg.string({ extensions: { example: 'visa' } }), input: t.arg({ type: CreateCardInstructionInput }) },
    ...facts({ effect: 'none', errors: requestErrors }),
    resolve: (_root, { network, input }, ctx) => dryRunInstruction(ctx, { ...input, network }),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'instruction', (t) =>
  t.field({
    type: CardInstructionObject,
    nullable: true,
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) =>
      subjectType === 'card_instruction' ? cardInstruction(ctx, subjectId) : null,
  }),
);
