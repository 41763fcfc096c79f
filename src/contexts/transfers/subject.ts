// What a transfer is of: the thing whose money it is, which says what becomes of it, and what made it as one of many.
import type { Transfer } from '../../generated/prisma/client.js';
import { type TransferSubject, transferSubjects } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';

/** The thing whose money a transfer is: the name of its noun, and its id, which is the transfer's by default. */
export interface SubjectRef {
  type: string;
  id?: string;
}

/** What makes many transfers. */
export interface TransferOrigin {
  type: 'batch' | 'settlement_execution';
  id: string;
}

type Subject = Pick<Transfer, 'subjectType' | 'subjectId'>;

/** What the noun of its subject says of a transfer; undefined for one that stands for itself. */
export function transferSubjectOf({ platform }: Pick<Ctx, 'platform'>, { subjectType }: Subject): TransferSubject | undefined {
  return subjectType === null ? undefined : platform.extensions.of(transferSubjects).get(subjectType);
}

/** The names of the nouns of which something holds. */
export function subjectTypes({ platform }: Pick<Ctx, 'platform'>, holds: (subject: TransferSubject) => boolean): string[] {
  return [...platform.extensions.of(transferSubjects).entries()].flatMap(([type, subject]) => (holds(subject) ? [type] : []));
}

/** The id of the thing whose money it is, where that is of a type; null otherwise. */
export function subjectIdOf({ subjectType, subjectId }: Subject, type: string): string | null {
  return subjectType === type ? subjectId : null;
}

/** The id of what made it, where that is of a type; null otherwise. */
export function originIdOf(
  { originType, originId }: Pick<Transfer, 'originType' | 'originId'>,
  type: TransferOrigin['type'],
): string | null {
  return originType === type ? originId : null;
}
