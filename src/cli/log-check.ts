// Checking a log of evidence whole: every entry is recomputed, and every head that is kept is compared.
import { verifyAuditLog } from '../contexts/audit/verification.js';
import { wrongHead } from '../contexts/evidence/head-check.js';
import type { Ctx } from '../platform/ctx.js';

/** A log, with what it has signed. */
type EvidenceLog = Parameters<typeof wrongHead>[1];

/** What came of a check. */
export interface LogCheck {
  /** Entries that are as they were written. */
  checked: number;
  /** Of these, those whose content was erased. */
  erased: number;
  /** What is broken, as a sentence; null where nothing is. */
  fault: string | null;
}

/** Recomputes the log of a workspace from its first entry. `log`: whose heads are compared; null where none was signed yet. */
export async function checkLog(ctx: Ctx, log: EvidenceLog | null): Promise<LogCheck> {
  let checked = 0;
  let erased = 0;
  for (let after: string | null = null; ; ) {
    const found = await verifyAuditLog(ctx, after);
    checked += found.checked;
    erased += found.erased;
    if (!found.valid)
      return {
        checked,
        erased,
        fault: `The log is broken at ${found.firstInvalidId ?? 'an entry that is missing'}; ${checked} entries before it are right.`,
      };
    if (found.nextAfter === null) break;
    after = found.nextAfter;
  }
  const head = log === null ? null : await wrongHead(ctx, log);
  return { checked, erased, fault: head && `The log is broken: ${head}. Its ${checked} entries are as they were written.` };
}
