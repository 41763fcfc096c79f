// What goes over rails: payouts, money that comes in, charges of cards and refunds to them. Each kind has rows and steps of its own. How an
// order reaches its rail, and how what is told of it finds its row, is the same for all of them (order-submission.ts, callback.ts,
// forced-result.ts).
import type { Ctx } from '../../../platform/ctx.js';
import { manyParts } from '../../../platform/extension.js';
import type { Lifecycle } from '../../../platform/lifecycle.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow } from '../../../platform/postgres/row.js';
import type { IdKind } from '../../../platform/schema/id.js';
import type { RailAnswer, RailOrder, RailReason } from './rail.js';

/** What the rows of every kind have. */
export interface Ordered {
  id: string;
  transferId: string;
  status: string;
  rail: string;
  /** Minor units of the rail's currency. */
  amount: bigint;
  currency: string;
  railReference: string | null;
  submittedAt: Date | null;
  submissions: number;
  asked: number;
  /** When the rail has accepted it. */
  confirmedAt: Date | null;
  dueAt: Date | null;
}

/** Why an order was not carried out. */
export interface OrderFailure {
  code: string;
  message: string;
  /** What the rail said. */
  reason?: RailReason;
}

interface OrderUpdate extends Partial<Pick<Ordered, 'railReference' | 'submittedAt' | 'submissions' | 'asked' | 'confirmedAt' | 'dueAt'>> {
  leaseUntil?: null;
}

/** The Prisma model of a kind. */
interface Rows<Row> {
  findFirst(args: { where: { id?: string; transferId?: string; rail?: string; railReference?: string } }): PromiseLike<Row | null>;
  updateManyAndReturn(args: { where: { id: string }; data: { id: string } }): PromiseLike<Row[]>;
  update(args: { where: { workspaceId_id: { workspaceId: string; id: string } }; data: OrderUpdate }): PromiseLike<Row>;
}

/** Where an order goes, or comes from. */
export type OrderEnd = Pick<RailOrder, 'destination' | 'destinationRef' | 'batch'>;

type Model = 'payout' | 'fundingTransaction' | 'cardCharge' | 'cardRefund';

/** A kind of order. Its steps are taken under the lock of the row. */
export interface OrderKind<Row extends Ordered> {
  noun: IdKind & Model;
  table: string;
  direction: RailOrder['direction'];
  /** What its references begin with. */
  prefix: string;
  lifecycle: Lifecycle<string>;
  /** The statuses in which it is on its way. */
  open: readonly string[];
  rows(db: Pick<Tx, Model>): Rows<Row>;
  /** Locks what is locked before a row: what it is for, which hears of its steps. */
  lockBefore?(ctx: Ctx, tx: Tx, row: Row): Promise<unknown>;
  /** Where it goes or comes from, and the batch that it belongs to; why it is not carried out where that is gone. */
  endOf(ctx: Ctx, row: Row): Promise<OrderEnd | OrderFailure>;
  /** Takes the steps that an answer of the rail means. Returns the very row that it was given when there are none. */
  follow(ctx: Ctx, tx: Tx, row: Row, answer: RailAnswer): Promise<Row>;
  fail(ctx: Ctx, tx: Tx, row: Row, failure: OrderFailure): Promise<Row>;
}

/** The kinds of orders. */
export const orderKinds = manyParts<OrderKind<Ordered>>('kinds of orders');

/** A kind of order, for `orderKinds`. */
export function orderKind<Row extends Ordered>(kind: OrderKind<Row>): OrderKind<Ordered> {
  return kind as unknown as OrderKind<Ordered>;
}

/** An order under its lock, as it is then. */
export async function lockOrder<Row extends Ordered>(ctx: Ctx, kind: OrderKind<Row>, tx: Tx, row: Row): Promise<Row> {
  await kind.lockBefore?.(ctx, tx, row);
  return lockRow(kind.rows(tx), row.id);
}

/** An order with its kind. */
export interface FoundOrder {
  kind: OrderKind<Ordered>;
  row: Ordered;
}

/** The order of a transfer, or the one that a rail knows by a reference. */
export async function findOrder(
  { db, platform }: Pick<Ctx, 'db' | 'platform'>,
  where: { transferId: string } | { rail: string; railReference: string },
): Promise<FoundOrder | null> {
  for (const kind of platform.extensions.of(orderKinds)) {
    const row = await kind.rows(db).findFirst({ where });
    if (row !== null) return { kind, row };
  }
  return null;
}
