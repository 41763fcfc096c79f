// The GraphQL face of streams.

import type { Stream as StreamRow } from '../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { pendingApproval } from '../spending/approval/approval.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { Transfer, TransferPage } from '../transfers/transfer.schema.js';
import { transfers } from '../transfers/transfer-list.js';
import { depletesAt, healthAt, runwaySeconds, streamedAt, withdrawableAt } from './accrual.js';
import { pauseStream, resumeStream, updateStream } from './change.js';
import type { StreamChange } from './deposit.js';
import { OtherSide } from './errors.js';
import { type GivenRate, printFlowRate } from './flow-rate.js';
import { cancelStream, withdrawStream } from './payout.js';
import { rest } from './rest.js';
import {
  CancelStreamInput,
  CreateStreamInput,
  RatePeriodEnum,
  StreamHealthEnum,
  StreamStatusEnum,
  TopUpStreamInput,
  UpdateStreamInput,
  WithdrawStreamInput,
} from './stream.input.js';
import { type StreamView, standsOn, stream, streams, viewOf, visibleStreams } from './stream.js';
import { streamMutation } from './stream-request.js';
import { topUpStreamMutation } from './top-up.js';

const StreamRate = builder.objectRef<GivenRate>('StreamRate').implement({
  description: 'A rate as it was given.',
  fields: (t) => ({
    amount: t.expose('amount', { type: 'FlowRate', description: 'How much flows per period, in major units: a decimal string.' }),
    per: t.expose('per', { type: RatePeriodEnum }),
  }),
});

const money = (description: string, of: (view: StreamView) => bigint) =>
  ({ type: 'Amount', description, resolve: (view: StreamView) => formatMinor(of(view), view.row.currency) }) as const;

/** Gap G-130: `wrapped_balance` has not flowed (with the buffer), `recipient_balance` has flowed and is not paid; both are rounded down. */
export const Stream = builder.objectRef<StreamView>('Stream').implement({
  ...byId(rowsOf<StreamRow>('stream', visibleStreams, { values: (ctx, rows) => rows.map((row) => viewOf(ctx, row)) })),
  description: 'Money that flows from one wallet to another by the second, out of what the payer has put in.',
  fields: (t) => ({
    id: t.field({ type: 'StreamId', resolve: ({ id }) => id }),
    fromWalletId: t.field({ type: 'WalletId', description: 'The wallet that pays.', resolve: ({ row }) => row.fromWalletId }),
    toWalletId: t.field({ type: 'WalletId', description: 'The wallet that is paid.', resolve: ({ row }) => row.toWalletId }),
    currency: t.field({ type: 'Currency', resolve: ({ row }) => row.currency }),
    flowRate: t.field({
      type: 'FlowRate',
      description:
        'How much flows per second, in major units: a decimal string of at most 18 decimals. Amounts follow from the exact rate.',
      resolve: ({ rate }) => printFlowRate(rate),
    }),
    rate: t.field({ type: StreamRate, description: 'The rate as it was given, per period.', resolve: ({ rate }) => rate }),
    status: t.field({ type: StreamStatusEnum, resolve: ({ flow }) => flow.status }),
    statusReason: t.string({
      nullable: true,
      description: 'Why it was paused or has ended; null for others.',
      resolve: ({ row }) => row.statusReason,
    }),
    wrappedBalance: t.field(
      money('What was put in and has not flowed yet, buffer included.', ({ flow, at }) =>
        flow.status === 'completed' || flow.status === 'cancelled' ? 0n : flow.deposited - streamedAt(flow, at),
      ),
    ),
    buffer: t.field(money('The part of the deposit that never flows and goes back at the end.', ({ flow }) => flow.buffer)),
    streamedTotal: t.field(money('What has flowed so far.', ({ flow, at }) => streamedAt(flow, at))),
    withdrawnTotal: t.field(money('What of it was paid out to the payee.', ({ flow }) => flow.withdrawn)),
    recipientBalance: t.field(money('What of it the payee can withdraw now.', ({ flow, at }) => withdrawableAt(flow, at))),
    runwaySeconds: t.int({
      nullable: true,
      description: 'Seconds for which the money lasts at this rate; null for more than 68 years.',
      resolve: ({ flow, at }) => runwaySeconds(flow, at),
    }),
    depletesAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the money is used up; null while it does not flow, or where it lasts until the end.',
      resolve: ({ flow }) => depletesAt(flow),
    }),
    maxTotal: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The stream completes when so much has flowed; null for no limit.',
      resolve: ({ row, flow }) => (flow.maxTotal === null ? null : formatMinor(flow.maxTotal, row.currency)),
    }),
    endsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the stream completes by itself; null where it does not.',
      resolve: ({ flow }) => flow.endsAt,
    }),
    checkpointAt: t.field({
      type: 'DateTime',
      description: 'When the rate or the money last changed.',
      resolve: ({ flow }) => flow.checkpointAt,
    }),
    health: t.field({ type: StreamHealthEnum, resolve: ({ flow, at }) => healthAt(flow, at) }),
    version: t.exposeInt('version', { description: 'Raised by every change of the rate or the money.' }),
    agentId: t.field({
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that spends; null where none does.',
      resolve: ({ row }) => row.agentId,
    }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      description: "JSON object of the payer, stored and answered as it is; null for those who see only the payee's side.",
      resolve: ({ row }, _, ctx) => (standsOn(ctx, row, 'payer') ? row.metadata : null),
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ row }) => row.createdAt }),
    updatedAt: t.field({ type: 'DateTime', resolve: ({ row }) => row.updatedAt }),
  }),
});
const StreamPage = pageOf(Stream, 'Stream');

const StreamPayload = builder.objectRef<StreamChange>('StreamPayload').implement({
  description: 'A stream, the transfer that moved its money, and the approval that it waits for, if any.',
  fields: (t) => ({
    stream: t.field({ type: Stream, description: 'The stream after the change.', resolve: (made) => made.stream }),
    transfer: t.field({ type: Transfer, description: 'The transfer that moved its money.', resolve: (made) => made.transfer }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated: its reference is the transfer. */
const payloadOf = streamMutation.replay;

builder.queryFields((t) => ({
  stream: t.field({
    route: rest(
      'GET /v1/streams/{id}',
      'Read a stream with what has flowed by now. With `at` it is shown as it was at that time, or as it will be if nobody changes it.',
    ),
    type: Stream,
    authScopes: { audience: 'any', scope: 'transfers:read' },
    args: {
      id: t.arg({ type: 'StreamId' }),
      at: t.arg({
        type: 'DateTime',
        required: false,
        description: 'Show the stream as of this time, in the past or the future; now by default.',
      }),
    },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, at }, ctx) => stream(ctx, id, at),
  }),
  streams: t.field({
    route: rest(
      'GET /v1/streams',
      'List streams, newest first. Filter by status, wallet or agent; an agent sees those that it or its wallets take part in.',
    ),
    type: StreamPage,
    authScopes: { audience: 'any', scope: 'transfers:read' },
    args: {
      ...pageArgs(t),
      status: t.arg({ type: StreamStatusEnum, required: false }),
      walletId: t.arg({ type: 'WalletId', required: false, description: 'Only streams that this wallet pays or receives.' }),
      agentId: t.arg({ type: 'AgentUuid', required: false, description: 'Only streams in which this agent takes part, on either side.' }),
    },
    resolve: (_root, filter, ctx) => streams(ctx, filter),
  }),
  streamTransfers: t.field({
    route: rest(
      'GET /v1/streams/{id}/transfers',
      'List the transfers that moved the money of a stream, newest first. They are its deposits, its withdrawals and its end.',
    ),
    type: TransferPage,
    authScopes: { audience: 'any', scope: 'transfers:read' },
    args: { id: t.arg({ type: 'StreamId' }), ...pageArgs(t) },
    ...facts({ errors: [NotFound] }),
    resolve: async (_root, { id, ...page }, ctx) => {
      await stream(ctx, id);
      return transfers(ctx, { ...page, streamId: id });
    },
  }),
}));

const changeErrors = [NotFound, StateConflict, OtherSide] as const;

builder.mutationFields((t) => ({
  createStream: t.field({
    route: rest(
      'POST /v1/streams',
      'Start a stream, which pays by the second from one wallet to another. The deposit is set aside and used up by the limits; the money flows from now on, or from the approval on (202). Both wallets must hold the currency, else 422.',
      { status: 201, body: 'stream', accepted: 'approval' },
    ),
    type: StreamPayload,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { input: t.arg({ type: CreateStreamInput }) },
    ...facts({ errors: [NotFound, SameWallet, CurrencyMismatch, ...postingErrors] }),
    resolve: once((ctx, { input }) => streamMutation.create(ctx, input), payloadOf),
  }),
  dryRunStream: t.field({
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    description:
      'Show what `POST /v1/streams` would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
    args: { input: t.arg({ type: CreateStreamInput }) },
    ...facts({ effect: 'none', errors: [NotFound, SameWallet, CurrencyMismatch] }),
    resolve: (_root, { input }, ctx) => streamMutation.dryRun(ctx, input),
  }),
  updateStream: t.field({
    route: rest(
      'PATCH /v1/streams/{id}',
      "Change the rate, the limit or the metadata of a stream, from now on. What has flowed so far stays. Only the payer's side may (403); a stream that has ended is 409.",
    ),
    type: Stream,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: UpdateStreamInput }) },
    ...facts({ errors: changeErrors }),
    resolve: once((ctx, { id, input }) => updateStream(ctx, { ...input, id }), stream),
  }),
  topUpStream: t.field({
    route: rest(
      'POST /v1/streams/{id}/top-up',
      'Add money to a stream, as its payer. An exhausted stream flows again. The amount uses limits like a new deposit, and may need an approval (202).',
      { body: 'stream', accepted: 'approval' },
    ),
    type: StreamPayload,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: TopUpStreamInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => topUpStreamMutation.create(ctx, { ...input, id }), payloadOf),
  }),
  dryRunTopUp: t.field({
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    description:
      'Show what a top-up of a stream would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: TopUpStreamInput }) },
    ...facts({ effect: 'none', errors: changeErrors }),
    resolve: (_root, { id, input }, ctx) => topUpStreamMutation.dryRun(ctx, { ...input, id }),
  }),
  pauseStream: t.field({
    route: rest(
      'POST /v1/streams/{id}/pause',
      'Pause a stream, as its payer. Nothing flows until it is resumed; what has flowed can still be withdrawn. A stream that is not active is 409.',
    ),
    type: Stream,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'StreamId' }) },
    ...facts({ errors: changeErrors }),
    resolve: once((ctx, { id }) => pauseStream(ctx, id), stream),
  }),
  resumeStream: t.field({
    route: rest(
      'POST /v1/streams/{id}/resume',
      'Let a paused stream flow again, as its payer. While the payer may not spend, for example because it is frozen, the answer is 403. A stream that is not paused is 409.',
    ),
    type: Stream,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'StreamId' }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id }) => resumeStream(ctx, id), stream),
  }),
  withdrawStream: t.field({
    type: StreamPayload,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    description:
      "Pay out what has flowed, all of it or a part, as the payee. More than has flowed is 422 `insufficient_balance`. The payer's agent may not (403).",
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: WithdrawStreamInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => withdrawStream(ctx, id, input.amount ?? null), payloadOf),
  }),
  cancelStream: t.field({
    type: StreamPayload,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    description:
      "End a stream for good, as its payer. What has flowed is paid to the payee, the rest goes back. The payee's agent may not (403); a stream that has ended is 409.",
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: CancelStreamInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => cancelStream(ctx, id, input.reason ?? null), payloadOf),
  }),
}));
