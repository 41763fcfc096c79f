// The GraphQL face of streams.
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { pendingApproval } from '../spending/approval/approval.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { Transfer, TransferPage } from '../transfers/transfer.schema.js';
import { transfers } from '../transfers/transfer-list.js';
import { toPayee } from '../transfers/transfer-part.schema.js';
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
import { type StreamView, standsOn, stream, streams } from './stream.js';
import { streamMutation } from './stream-request.js';
import { topUpStreamMutation } from './top-up.js';

const StreamRate = builder.objectRef<GivenRate>('StreamRate').implement({
  description: 'A rate as it was given.',
  fields: (t) => ({
    amount: t.expose('amount', { type: 'FlowRate' }),
    per: t.expose('per', { type: RatePeriodEnum }),
  }),
});

/** The sums of it together make what was put in (Gap G-130). */
export const Stream = builder.objectRef<StreamView>('Stream').implement({
  description: 'Money that flows from one wallet to another by the second, out of what the payer has put in.',
  fields: (t) => {
    const money = (description: string, of: (view: StreamView) => bigint) =>
      t.field({ type: 'Amount', description, resolve: (view) => formatMinor(of(view), view.row.currency) });
    return {
      id: t.field({ type: 'StreamId', resolve: ({ id }) => id }),
      fromWalletId: t.field({ type: 'WalletId', resolve: ({ row }) => row.fromWalletId }),
      toWalletId: t.field({ type: 'WalletId', resolve: ({ row }) => row.toWalletId }),
      currency: t.field({ type: 'Currency', resolve: ({ row }) => row.currency }),
      flowRate: t.field({
        type: 'FlowRate',
        description: 'Per second, to 18 digits after the point; what flows follows from the exact rate.',
        resolve: ({ rate }) => printFlowRate(rate),
      }),
      rate: t.field({ type: StreamRate, resolve: ({ rate }) => rate }),
      status: t.field({ type: StreamStatusEnum, resolve: ({ flow }) => flow.status }),
      statusReason: t.string({ nullable: true, description: 'Why it was paused or has ended.', resolve: ({ row }) => row.statusReason }),
      wrappedBalance: money('What has not flowed yet, the buffer included.', ({ flow, at }) =>
        flow.status === 'completed' || flow.status === 'cancelled' ? 0n : flow.deposited - streamedAt(flow, at),
      ),
      buffer: money('The part that never flows.', ({ flow }) => flow.buffer),
      streamedTotal: money('What has flowed.', ({ flow, at }) => streamedAt(flow, at)),
      withdrawnTotal: money('What of it was paid to the payee.', ({ flow }) => flow.withdrawn),
      recipientBalance: money('What of it the payee can take out.', ({ flow, at }) => withdrawableAt(flow, at)),
      runwaySeconds: t.int({
        nullable: true,
        description: 'For how long the money lasts at this rate; null for more than 68 years.',
        resolve: ({ flow, at }) => runwaySeconds(flow, at),
      }),
      depletesAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the money is used up; null when it is not flowing, or lasts until the end.',
        resolve: ({ flow }) => depletesAt(flow),
      }),
      maxTotal: t.field({
        type: 'Amount',
        nullable: true,
        description: 'The stream is complete when so much has flowed.',
        resolve: ({ row, flow }) => (flow.maxTotal === null ? null : formatMinor(flow.maxTotal, row.currency)),
      }),
      endsAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ flow }) => flow.endsAt }),
      checkpointAt: t.field({ type: 'DateTime', description: 'The last change.', resolve: ({ flow }) => flow.checkpointAt }),
      health: t.field({ type: StreamHealthEnum, resolve: ({ flow, at }) => healthAt(flow, at) }),
      version: t.exposeInt('version', { description: 'The number of the last change.' }),
      agentId: t.field({ type: 'AgentUuid', nullable: true, description: 'The agent that spends.', resolve: ({ row }) => row.agentId }),
      metadata: t.field({
        type: 'JSONObject',
        nullable: true,
        description: `The payer's own; null ${toPayee}.`,
        resolve: ({ row }, _, ctx) => (standsOn(ctx, row, 'payer') ? row.metadata : null),
      }),
      createdAt: t.field({ type: 'DateTime', resolve: ({ row }) => row.createdAt }),
      updatedAt: t.field({ type: 'DateTime', resolve: ({ row }) => row.updatedAt }),
    };
  },
});
const StreamPage = pageOf(Stream, 'Stream');

const StreamPayload = builder.objectRef<StreamChange>('StreamPayload').implement({
  description: 'A stream, the transfer that moved its money, and the approval that it waits for, if it does.',
  fields: (t) => ({
    stream: t.field({ type: Stream, resolve: (made) => made.stream }),
    transfer: t.field({ type: Transfer, resolve: (made) => made.transfer }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated: its reference is the transfer. */
const payloadOf = streamMutation.replay;

builder.queryFields((t) => ({
  stream: t.field({
    route: rest('GET /v1/streams/{id}', 'Read a stream, as it is or as it was.'),
    type: Stream,
    args: {
      id: t.arg({ type: 'StreamId' }),
      at: t.arg({ type: 'DateTime', required: false, description: 'As it was then, or will be if nobody changes it.' }),
    },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, at }, ctx) => stream(ctx, id, at),
  }),
  streams: t.field({
    route: rest('GET /v1/streams', 'List streams.'),
    type: StreamPage,
    args: {
      ...pageArgs(t),
      status: t.arg({ type: StreamStatusEnum, required: false }),
      walletId: t.arg({ type: 'WalletId', required: false, description: 'On either side.' }),
      agentId: t.arg({ type: 'AgentUuid', required: false, description: 'On either side.' }),
    },
    resolve: (_root, filter, ctx) => streams(ctx, filter),
  }),
  streamTransfers: t.field({
    route: rest('GET /v1/streams/{id}/transfers', 'List the transfers that moved the money of a stream.'),
    type: TransferPage,
    description: 'The transfers that moved the money of a stream.',
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
    route: rest('POST /v1/streams', 'Start a stream from one wallet to another.', { status: 201, body: 'stream', accepted: 'approval' }),
    type: StreamPayload,
    args: { input: t.arg({ type: CreateStreamInput }) },
    ...facts({ errors: [NotFound, SameWallet, CurrencyMismatch, ...postingErrors] }),
    resolve: once((ctx, { input }) => streamMutation.create(ctx, input), payloadOf),
  }),
  dryRunStream: t.field({
    type: DryRunType,
    args: { input: t.arg({ type: CreateStreamInput }) },
    ...facts({ effect: 'none', errors: [NotFound, SameWallet, CurrencyMismatch] }),
    resolve: (_root, { input }, ctx) => streamMutation.dryRun(ctx, input),
  }),
  updateStream: t.field({
    route: rest('PATCH /v1/streams/{id}', 'Change the rate, the maximum or the metadata of a stream from now on.'),
    type: Stream,
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: UpdateStreamInput }) },
    ...facts({ errors: changeErrors }),
    resolve: once((ctx, { id, input }) => updateStream(ctx, { ...input, id }), stream),
  }),
  topUpStream: t.field({
    route: rest('POST /v1/streams/{id}/top-up', 'Put more money into a stream.', { body: 'stream', accepted: 'approval' }),
    type: StreamPayload,
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: TopUpStreamInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => topUpStreamMutation.create(ctx, { ...input, id }), payloadOf),
  }),
  dryRunTopUp: t.field({
    type: DryRunType,
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: TopUpStreamInput }) },
    ...facts({ effect: 'none', errors: changeErrors }),
    resolve: (_root, { id, input }, ctx) => topUpStreamMutation.dryRun(ctx, { ...input, id }),
  }),
  pauseStream: t.field({
    route: rest('POST /v1/streams/{id}/pause', 'Stop a stream until somebody resumes it.'),
    type: Stream,
    args: { id: t.arg({ type: 'StreamId' }) },
    ...facts({ errors: changeErrors }),
    resolve: once((ctx, { id }) => pauseStream(ctx, id), stream),
  }),
  resumeStream: t.field({
    route: rest('POST /v1/streams/{id}/resume', 'Let a paused stream flow again.'),
    type: Stream,
    args: { id: t.arg({ type: 'StreamId' }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id }) => resumeStream(ctx, id), stream),
  }),
  withdrawStream: t.field({
    type: StreamPayload,
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: WithdrawStreamInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => withdrawStream(ctx, id, input.amount ?? null), payloadOf),
  }),
  cancelStream: t.field({
    type: StreamPayload,
    args: { id: t.arg({ type: 'StreamId' }), input: t.arg({ type: CancelStreamInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => cancelStream(ctx, id, input.reason ?? null), payloadOf),
  }),
}));
