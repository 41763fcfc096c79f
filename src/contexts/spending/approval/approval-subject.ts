// The subject of an approval, as the noun that it belongs to carries it out or ends it.
import type { ApprovalSubject } from '../../../manifest/approval-subject.js';
import { approvalSubjects } from '../../../manifest/noun.js';
import type { Ctx } from '../../../platform/ctx.js';

/** The subject of a type. Throws for one that no noun has. */
export function approvalSubjectOf({ platform }: Pick<Ctx, 'platform'>, type: string): ApprovalSubject {
  return platform.extensions.of(approvalSubjects).get(type);
}
