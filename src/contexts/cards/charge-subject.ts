// What a card is charged for. A context that is paid by card declares here what becomes of its thing; charges know none of them.
import type { CardCharge, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';

/** What became of a charge. Its transfer has the same end. */
export type ChargeOutcome =
  | { status: 'paid'; transfer: Transfer }
  | { status: 'failed'; transfer: Transfer; code: string; message: string };

/** One type of thing that cards pay for. Its row is locked before that of a charge, by whoever changes both. */
export interface ChargeSubject {
  lock(tx: Tx, subjectId: string): Promise<unknown>;
  /** Throws when it is not to be paid any more. Asked when a charge is approved, under the lock of the subject. */
  check?(ctx: Ctx, tx: Tx, subjectId: string): Promise<void>;
  /** Hears once what became of a charge, in the transaction that makes it so and under the lock of the subject. It may not refuse. */
  settle(ctx: Ctx, tx: Tx, charge: CardCharge, outcome: ChargeOutcome): Promise<unknown>;
}

const subjects = new Map<string, ChargeSubject>();

/** Declares what becomes of a type of thing that cards pay for. Throws when the type is declared twice. */
export function declareChargeSubject(type: string, subject: ChargeSubject): void {
  if (subjects.has(type)) throw new Error(`what becomes of a ${type} that a card pays for is declared twice`);
  subjects.set(type, subject);
}

/** The subject of a type. Throws for one that no context declares. */
export function chargeSubject(type: string): ChargeSubject {
  const subject = subjects.get(type);
  if (subject === undefined) throw new Error(`no context declares what becomes of a ${type} that a card pays for`);
  return subject;
}
