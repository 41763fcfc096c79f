// A stream: money that flows from one wallet to another by the second, out of what the payer has put in (CONTRACT.md 3). Its row is
// what it was at the last checkpoint; what it is now is worked out from that.
import type { Prisma, Stream, StreamStatus } from '../../generated/prisma/client.js';
import type { EscrowExplanation } from '../../ledger/trial-balance.js';
import type { OpenOn } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import type { Page } from '../../platform/schema/page.js';
import { Visibility } from '../../platform/visibility.js';
import { type Flow, stepTo } from './accrual.js';
import { OtherSide } from './errors.js';
import type { GivenRate } from './flow-rate.js';

/** It becomes exhausted and completed by itself. Paths name it by its printed id. */
export const streamLifecycle: Lifecycle<StreamStatus> = {
  noun: 'stream',
  path: '/v1/streams/{id}',
  steps: {
    pending: ['active', 'cancelled'],
    active: ['paused', 'exhausted', 'completed', 'cancelled'],
    paused: ['active', 'completed', 'cancelled'],
    exhausted: ['active', 'completed', 'cancelled'],
    completed: [],
    cancelled: [],
  },
  requests: [
    { to: 'active', from: ['paused'], rel: 'resume', actor: 'any', method: 'POST', path: '/resume' },
    // Any amount of any currency does.
    { to: 'active', from: ['exhausted'], rel: 'top_up', actor: 'any', method: 'POST', path: '/top-up', body: { amount: '1.00' } },
    { to: 'paused', rel: 'pause', actor: 'any', method: 'POST', path: '/pause' },
    { to: 'cancelled', rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' },
  ],
};

/** Members of a row, and of a checkpoint, that say what flows. */
type FlowRow = Pick<Stream, Exclude<keyof Flow, 'currency'> | 'rateAmount' | 'ratePer' | 'version'>;

/** What flows, of a row or a checkpoint of it. */
export function flowOf(row: FlowRow & Pick<Stream, 'currency'>): Flow {
  const { status, currency, rateUnits, accrued, checkpointAt, deposited, buffer, withdrawn, returned, maxTotal, endsAt } = row;
  return {
    status,
    currency,
    rateUnits: BigInt(rateUnits.toFixed(0)),
    accrued: BigInt(accrued.toFixed(0)),
    checkpointAt,
    deposited,
    buffer,
    withdrawn,
    returned,
    maxTotal,
    endsAt,
  };
}

/** A stream as it is at an instant. */
export interface StreamView {
  id: string;
  row: Stream;
  flow: Flow;
  rate: GivenRate;
  version: number;
  at: Date;
}

/** A stream as it is now: what has happened to it by itself is shown, whether or not it was written yet. */
export function viewOf({ clock }: Pick<Ctx, 'clock'>, row: Stream): StreamView {
  return viewAt(row, row, clock.now());
}

function viewAt(row: Stream, state: FlowRow, at: Date): StreamView {
  const { rateAmount: amount, ratePer: per, version } = state;
  return { id: row.id, row, flow: stepTo(flowOf({ ...state, currency: row.currency }), at), rate: { amount, per }, version, at };
}

/** An agent sees the streams that it pays, or that a wallet of its is on a side of. */
export const visibleStreams = new Visibility<Prisma.StreamWhereInput>({
  scope: 'transfers:read',
  agent: ({ id }) => ({ OR: [{ agentId: id }, { fromAgentId: id }, { toAgentId: id }] }),
});

/** The row of a stream, or 404. */
export async function streamRow(ctx: Ctx, id: string): Promise<Stream> {
  const found = await ctx.db.stream.findFirst({ where: { AND: [{ id }, visibleStreams.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

// Gap G-134: What happens at an instant belongs to it; a future `at` shows the stream as if nobody changes it; before its start is 400.
/**
 * A stream, as it is or at another instant: from its checkpoints, and for an instant to come as it will be if nobody changes it. 404, 400
 * for an instant before it was made.
 */
export async function stream(ctx: Ctx, id: string, at?: Date | null): Promise<StreamView> {
  const row = await streamRow(ctx, id);
  if (at == null) return viewOf(ctx, row);
  const last = await ctx.db.streamCheckpoint.findFirst({
    where: { streamId: id, at: { lte: at } },
    orderBy: [{ at: 'desc' }, { version: 'desc' }],
  });
  if (last === null) {
    throw new ValidationFailed([
      { path: ['at'], message: `is before the stream was made, at ${row.createdAt.toISOString()}`, rule: 'min' },
    ]);
  }
  return viewAt(row, { ...last, checkpointAt: last.at }, at);
}

const rows = listOf(
  'stream',
  { visible: visibleStreams },
  {
    walletId: (id: string) => ({ OR: [{ fromWalletId: id }, { toWalletId: id }] }),
    agentId: (agentId: string) => ({ OR: [{ agentId }, { fromAgentId: agentId }, { toAgentId: agentId }] }),
  },
);

/** Streams, newest first. A wallet or an agent is on either side. */
export async function streams(ctx: Ctx, input: Parameters<typeof rows>[1]): Promise<Page<StreamView>> {
  const page = await rows(ctx, input);
  return { ...page, nodes: page.nodes.map((row) => viewOf(ctx, row)) };
}

/** A stream under its row's lock. 404. */
export function lockStream(ctx: Ctx, tx: Tx, id: string): Promise<Stream> {
  return lockRow(tx.stream, id, { where: visibleStreams.where(ctx) });
}

/** 403 for an agent that is not on that side of the stream. Operators stand for both. */
export function checkStreamSide(ctx: Ctx, row: Stream, side: 'payer' | 'payee'): void {
  if (!standsOn(ctx, row, side)) throw new OtherSide(row.id, side);
}

/** Whether the actor stands on that side of a stream that it sees. Operators stand on both. */
export function standsOn({ actor }: Ctx, { agentId, fromAgentId, toAgentId }: Stream, side: 'payer' | 'payee'): boolean {
  const own = side === 'payer' ? [agentId, fromAgentId] : [toAgentId];
  return actor.agent === undefined || own.includes(actor.agent.id);
}

/** Streams that keep their wallets from being closed. */
export async function openStreamsOn(_: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const either = { in: [...walletIds] };
  const open = await tx.stream.findMany({
    where: {
      status: { in: ['pending', 'active', 'paused', 'exhausted'] },
      OR: [{ fromWalletId: either }, { toWalletId: either }],
    },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true },
  });
  return open.map(({ id }) => {
    const printed = printId('stream', id);
    return { type: 'stream', id: printed, ends: { rel: 'cancel', actor: 'any', method: 'POST', path: `/v1/streams/${printed}/cancel` } };
  });
}

/** What the escrow of each stream holds: what was put in and neither paid out nor returned. Before its approval it holds nothing. */
export const streamEscrow: EscrowExplanation = {
  kind: 'stream.escrow',
  text: `SELECT workspace_id, escrow_account_id AS account_id,
      CASE WHEN status = 'pending' THEN 0 ELSE deposited - withdrawn - returned END AS amount FROM stream`,
};
