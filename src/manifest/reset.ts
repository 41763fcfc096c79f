// What the reset of a sandbox ends (CONTRACT.md 19): each noun says which of its rows, and by which of its own rules.
import type { Ctx } from '../platform/ctx.js';

// Gap G-377: Settings go back to how a new workspace has them; rates stay, because history names them.
/**
 * When something is ended: what stops everything else, what waits for somebody, what runs, what somebody may do, and settings. Within a
 * stage what builds on others ends before them.
 */
export const resetStages = ['block', 'waiting', 'running', 'permission', 'setting'] as const;

/** What a reset ends of a noun. `Row` is what `end` needs of a row. */
export interface ResetStep<Row extends { id: string } = { id: string }> {
  stage: (typeof resetStages)[number];
  /** What answers call it; the noun's name by default. */
  type?: string;
  /** The rows that have not ended, at most `most`. */
  rows(ctx: Ctx, most: number): PromiseLike<readonly Row[]>;
  end(ctx: Ctx, row: Row, reason: string): Promise<unknown>;
}

/** A step whose rows have more than an id. */
export function resetStep<Row extends { id: string }>(step: ResetStep<Row>): ResetStep {
  return step as unknown as ResetStep;
}

/** The ids of the newest rows, at most `most`. */
export function newestRows(most: number) {
  return { take: most, orderBy: { id: 'desc' }, select: { id: true } } as const;
}
