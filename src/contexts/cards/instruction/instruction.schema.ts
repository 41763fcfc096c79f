// The GraphQL face of instructions to card networks.

import type { CardInstruction } from '../../../generated/prisma/client.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { ApproveApprovalPayload, pendingApproval } from '../../spending/approval/approval.schema.js';
import { postingErrors } from '../../spending/pipeline/refusal.js';
import { DryRunType } from '../../transfers/dry-run.schema.js';
import type { CardNetworkName } from '../../transfers/rail.js';
import { CardNumberRefused, InstructionExceedsOriginal, NetworkNotEnrolled } from '../errors.js';
import { rest } from '../rest.js';
import { CardNetworkEnum } from '../verification/verification.input.js';
import { CreateCardInstructionInput, StatusEnum, TypeEnum } from './instruction.input.js';
import { cardInstruction, cardInstructions, type InstructionChange, queuedInstruction, visibleInstructions } from './instruction.js';
import { createInstruction, dryRunInstruction } from './instruction-request.js';

export const CardInstructionObject = builder.objectRef<CardInstruction>('CardInstruction').implement({
  ...byId(rowsOf('cardInstruction', visibleInstructions)),
  description: 'A request to a card network on behalf of an agent. No money of the platform moves.',
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
      agentId: t.expose('agentId', { type: 'AgentUuid', description: 'The agent that pays.' }),
      network: t.field({ type: CardNetworkEnum, resolve: ({ network }) => network as CardNetworkName }),
      type: t.expose('type', { type: TypeEnum }),
      status: t.expose('status', { type: StatusEnum }),
      payload: t.field({ type: 'JSON', description: 'Details for the network, as they were sent.', resolve: ({ payload }) => payload }),
      amount: money('What is authorized or refunded, in `currency`; null where nothing is.', ({ amount }) => amount),
      currency: t.expose('currency', {
        type: 'Currency',
        nullable: true,
        description: 'The currency of the amounts; null where there is none.',
      }),
      merchantId: t.exposeString('merchantRef', {
        nullable: true,
        description: 'The merchant that is paid, as it was verified; null where it is unknown.',
      }),
      instructionId: t.expose('originalId', {
        type: 'CardInstructionId',
        nullable: true,
        description: 'For a cancellation or refund: the authorization; else null.',
      }),
      refundedAmount: money('For an authorization: what refunds have given back, in `currency`; else null.', ({ type, refunded }) =>
        type === 'authorize' ? refunded : null,
      ),
      authorizationCode: t.exposeString('authorizationCode', {
        nullable: true,
        description: "The network's code of its approval; null without one.",
      }),
      reasonCode: t.exposeString('reasonCode', {
        nullable: true,
        description: 'Why it was declined, failed or was cancelled, as a word for programs; null for others.',
      }),
      reasonMessage: t.exposeString('reasonMessage', {
        nullable: true,
        description: 'The same as a sentence for people; null for others.',
      }),
      decisionId: t.expose('decisionId', {
        type: 'DecisionId',
        nullable: true,
        description: 'The stored decision that allowed it; null where no limit took part.',
      }),
      submittedAt: t.expose('submittedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it was sent to the network; null before.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    };
  },
});
const CardInstructionPage = pageOf(CardInstructionObject, 'CardInstruction');

const CardInstructionPayload = builder.objectRef<InstructionChange>('CardInstructionPayload').implement({
  description: 'An instruction, and the approval that it waits for, if any.',
  fields: (t) => ({
    instruction: t.field({
      type: CardInstructionObject,
      description: 'The instruction as it was created.',
      resolve: ({ instruction }) => instruction,
    }),
    approval: t.expose('approval', pendingApproval),
  }),
});

builder.queryFields((t) => ({
  cardInstruction: t.field({
    route: rest('GET /v1/cards/instructions/{id}', 'Read an instruction to a card network. An agent reads its own; any other is 404.'),
    type: CardInstructionObject,
    authScopes: { audience: 'any', scope: 'cards:read' },
    args: { id: t.arg({ type: 'CardInstructionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => cardInstruction(ctx, id),
  }),
  cardInstructions: t.field({
    route: rest(
      'GET /v1/cards/instructions',
      'List instructions to card networks, newest first. Filter by agent, network, type or status; an agent sees its own.',
    ),
    type: CardInstructionPage,
    authScopes: { audience: 'any', scope: 'cards:read' },
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
    route: rest(
      'POST /v1/cards/{network}/instructions',
      "Queue an authorization, a cancellation or a refund at a card network. An authorization is checked by the spend pipeline and uses a verification (`network_ref`) that is consumed once. The answer is 202: read the instruction for the network's decision.",
      {
        status: 202,
        body: 'instruction',
      },
    ),
    type: CardInstructionPayload,
    authScopes: { audience: 'any', scope: 'cards:write' },
    args: {
      network: t.arg.string({ description: 'The card network: `visa` or `mastercard`.', extensions: { example: 'visa' } }),
      input: t.arg({ type: CreateCardInstructionInput }),
    },
    ...facts({ errors: [...requestErrors, InstructionExceedsOriginal, ...postingErrors] }),
    resolve: once((ctx, { network, input }) => createInstruction(ctx, { ...input, network }), queuedInstruction),
  }),
  dryRunCardInstruction: t.field({
    route: rest(
      'POST /v1/cards/{network}/instructions',
      'Show what an authorization would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'cards:write' },
    args: {
      network: t.arg.string({ description: 'The card network: `visa` or `mastercard`.', extensions: { example: 'visa' } }),
      input: t.arg({ type: CreateCardInstructionInput }),
    },
    ...facts({ effect: 'none', errors: requestErrors }),
    resolve: (_root, { network, input }, ctx) => dryRunInstruction(ctx, { ...input, network }),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'instruction', (t) =>
  t.field({
    type: CardInstructionObject,
    nullable: true,
    description: 'The card instruction that was approved; else null.',
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) =>
      subjectType === 'card_instruction' ? cardInstruction(ctx, subjectId) : null,
  }),
);
