// The timeline of an agent is merged from what nouns give to it (CONTRACT.md 5).
import type { Ctx } from '../platform/ctx.js';
import type { Window } from '../platform/schema/page.js';

/** The kinds of things that a timeline shows. */
export const timelineKinds = ['auth', 'decision', 'transfer', 'task', 'approval'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** One thing that happened. `id` is bare, and is where a page may go on. */
export interface Happening {
  id: string;
  at: Date;
  /** As its own endpoint prints it. */
  printedId: string;
  summary: string;
  data: Record<string, unknown>;
}

/** Ids of one agent between `from` (inclusive) and `below`. */
export interface Stretch {
  agentId: string;
  from: string | undefined;
  below: string | undefined;
}

/** Where things of one kind are found: the newest ids by an index, how many there are, and what they say. */
export interface TimelineSource {
  kind: TimelineKind;
  ids(ctx: Ctx, stretch: Stretch, window: Window): Promise<string[]>;
  count(ctx: Ctx, stretch: Stretch, most: number): Promise<number>;
  load(ctx: Ctx, ids: readonly string[]): Promise<Happening[]>;
}

/** The Prisma condition of ids in a stretch, and before `after`. */
export function idsWithin({ from, below }: Stretch, after?: string): { AND: { id: object }[] } {
  const range = { id: { ...(from && { gte: from }), ...(below && { lt: below }) } };
  return { AND: after === undefined ? [range] : [range, { id: { lt: after } }] };
}

/** Newest first, by ids alone. */
export const newestIds = { orderBy: { id: 'desc' }, select: { id: true } } as const;
