// How something reaches a carrier (a rail, a card network) exactly once. Its reference is committed before the carrier hears of it; from then
// on the carrier is asked, and nothing is sent again under that reference. A reference that the carrier has not, and will never take any
// more, is replaced.
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import type { RowStep } from '../../../platform/due/step.js';
import { transact } from '../../../platform/idempotency.js';
import { answered, nextInquiry } from '../../../platform/inquiry.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { newId } from '../../../platform/schema/id.js';

/** What has not reached its carrier by then is not carried out any more. */
const arrivalSeconds = 60;
/** References that one thing is submitted under at most: then it has failed. */
const mostSubmissions = 3;

/** What is submitted, as far as its row says how that stands. */
export interface Submitted {
  id: string;
  submittedAt: Date | null;
  submissions: number;
  asked: number;
  dueAt: Date | null;
  /** When the carrier has accepted it, where it says so. */
  confirmedAt?: Date | null;
}

/** What every message to a carrier has. */
export interface OrderMessage {
  /** Ours, at most 35 characters, and unique. A carrier takes one message of a reference. */
  reference: string;
  /** A message that has not arrived by then (workspace time) must never be taken. */
  expiresAt: Date;
}

/** Whoever carries out what it is sent. `missing`: it has nothing of this reference, and of an expired one never will. */
interface Carrier<Order, Answer> {
  submit(ctx: Ctx, order: Order): Promise<Answer>;
  status(ctx: Ctx, reference: string): Promise<Answer>;
}

/** What changes of a row between its steps. */
export interface UnsubmittedOrder {
  dueAt: Date;
  asked?: number;
  reference?: null;
}

/** A kind of thing that is submitted. Its steps are taken under the lock of the row. */
export interface SubmissionKind<Row extends Submitted, Order extends OrderMessage, Answer extends { state: string }> {
  table: string;
  /** What its references begin with. */
  prefix: string;
  find(ctx: Ctx, id: string): PromiseLike<Row | null>;
  /** It is on its way. */
  isOpen(row: Row): boolean;
  referenceOf(row: Row): string | null;
  /** The carrier of a row, where one is connected. */
  carrierOf(ctx: Ctx, row: Row): Carrier<Order, Answer | Unknown> | undefined;
  /** What a row has to say. Null when there is nothing to send: whatever that means was done. */
  messageOf(ctx: Ctx, row: Row): Promise<Omit<Order, keyof OrderMessage> | null>;
  /** Commits the reference of a row that is open, due and without one. False where it is not: somebody has taken it meanwhile. */
  giveReference(ctx: Ctx, row: Row, reference: string, at: Date): Promise<boolean>;
  /** A row under its lock, as it is then. */
  lock(ctx: Ctx, tx: Tx, row: Row): Promise<Row>;
  /** Takes the steps that an answer means. Returns the very row that it was given when there are none. */
  follow(ctx: Ctx, tx: Tx, row: Row, answer: Answer | Unknown): Promise<Row>;
  /** Writes when it goes on, and ends the lease. */
  wait(ctx: Ctx, tx: Tx, row: Row, waiting: UnsubmittedOrder): PromiseLike<Row>;
  /** Ends what never arrived. */
  lose(ctx: Ctx, tx: Tx, row: Row): Promise<Row>;
}

interface Unknown {
  state: 'unknown';
}
const unknown: Unknown = { state: 'unknown' };

/** The due step of a kind: what waits is submitted, or its carrier is asked what became of it. */
export function submission<Row extends Submitted, Order extends OrderMessage, Answer extends { state: string }>(
  kind: SubmissionKind<Row, Order, Answer>,
): RowStep['run'] {
  return async (ctx, id) => {
    const found = await kind.find(ctx, id);
    if (found === null || !kind.isOpen(found) || found.dueAt === null || found.dueAt > ctx.clock.now()) return;
    const carrier = kind.carrierOf(ctx, found);
    const known = kind.referenceOf(found);
    if (known !== null) {
      return record(ctx, found, known, carrier && (await answered(ctx, () => carrier.status(ctx, known), unknown)));
    }
    const message = await kind.messageOf(ctx, found);
    if (message === null) return;
    const at = ctx.clock.now();
    const reference = `${kind.prefix}${newId(at).replaceAll('-', '')}`;
    // Whoever has taken it meanwhile goes on with it: it has a reference.
    if (!(await kind.giveReference(ctx, found, reference, at))) return;
    const order = { ...message, reference, expiresAt: addSeconds(at, arrivalSeconds) } as unknown as Order;
    await record(ctx, found, reference, carrier && (await answered(ctx, () => carrier.submit(ctx, order), unknown)));
  };

  /** Follows an answer about the reference that it was asked for, and says when the carrier is asked again. */
  async function record(ctx: Ctx, asked: Row, reference: string, answer: Answer | Unknown = unknown): Promise<void> {
    const row = await transact(ctx, async (tx) => {
      const before = await kind.lock(ctx, tx, asked);
      if (kind.referenceOf(before) !== reference || !kind.isOpen(before)) return before;
      if (answer.state === 'missing' && !before.confirmedAt) return replace(ctx, tx, before);
      const after = await kind.follow(ctx, tx, before, answer);
      if (after !== before) return after;
      return kind.wait(ctx, tx, before, { dueAt: nextInquiry(ctx.clock.now(), before.asked), asked: before.asked + 1 });
    });
    if (row.dueAt !== null) ringAt(ctx, kind.table, row.dueAt);
  }

  /** The carrier has no such thing. Until it has expired it may still be on its way; then it is certain that it was never carried out. */
  async function replace(ctx: Ctx, tx: Tx, row: Row): Promise<Row> {
    const at = ctx.clock.now();
    const certainAt = addSeconds(row.submittedAt ?? at, arrivalSeconds);
    if (at <= certainAt) return kind.wait(ctx, tx, row, { dueAt: addSeconds(certainAt, 1) });
    return row.submissions < mostSubmissions ? kind.wait(ctx, tx, row, { dueAt: at, reference: null }) : kind.lose(ctx, tx, row);
  }
}
