// What the stages of an erasure are made of: sets of rows, each in a transaction that also notes how far it came. A process that is killed
// leaves whole sets, and another goes on behind the last one.
import type pg from 'pg';
import type { Ctx } from '../../platform/ctx.js';

/** An erasure, as its stages see it. */
export interface ErasureWork {
  id: string;
  workspaceId: string;
  tenantId: string;
  accountId: string | null;
  memberId: string | null;
  createdAt: Date;
  /** The key of the last row that the stage has looked at; empty at its beginning. */
  cursor: readonly string[];
  /** The line of the audit log that names the lines whose content goes next. */
  namedBy: string | null;
}

/** What a set came to. */
export interface Progress {
  /** The stage is over. */
  isOver?: boolean;
  /** Where the stage goes on; where it was by default. */
  cursor?: readonly string[];
  namedBy?: string | null;
  /** Values, and the rows that they stood in. */
  fields?: number;
  rows?: number;
  /** Seconds until there may be more to do. */
  waitSeconds?: number;
}

/** A stage of an erasure: one set after the other, until it is over. */
export interface Stage {
  name: string;
  /** The columns that it empties: the database lets no other column change. */
  erases: readonly string[];
  /** What is done before a set, in transactions of its own. It may be done twice. */
  before?(ctx: Ctx, work: ErasureWork): Promise<void>;
  run(tx: pg.ClientBase, work: ErasureWork, ctx: Ctx): Promise<Progress>;
}
