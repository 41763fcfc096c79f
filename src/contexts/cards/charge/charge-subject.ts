// What a card is charged for. A context that is paid by card says what becomes of its thing; charges know none of them.
import type { CardCharge, Transfer } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { namedParts } from '../../../platform/extension.js';
import type { Tx } from '../../../platform/postgres/database.js';

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

/** Things that cards pay for, by their types. */
export const chargeSubjects = namedParts<ChargeSubject>('things that cards pay for');

/** The subject of a type. Throws for one that no context has. */
export function chargeSubject({ platform }: Pick<Ctx, 'platform'>, type: string): ChargeSubject {
  return platform.extensions.of(chargeSubjects).get(type);
}
