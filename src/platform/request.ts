// Builds the ctx of one request or one step of a worker.
import { shiftedClock } from './clock.js';
import type { Identity } from './credential.js';
import type { Ctx, Platform } from './ctx.js';
import { Effect } from './effect.js';
import type { Logger } from './log.js';

/** What names a request. */
export interface RequestFacts {
  requestId: string;
  traceId?: string;
  ip: string;
  /** Shared with whoever gives the request up; work that nobody asked for has its own. */
  effect?: Effect;
}

/** A ctx that sees the identity's workspace alone and lives in its time. The logger is made when it is first asked for. */
export function createCtx(platform: Platform, { actor, workspace }: Identity, facts: RequestFacts): Ctx {
  const { requestId, traceId, ip, effect = new Effect() } = facts;
  let log: Logger | undefined;
  return {
    actor,
    workspace,
    db: platform.database.forWorkspace(workspace.id),
    clock: shiftedClock(platform.clock, workspace.clockOffsetMs),
    platform,
    get log() {
      log ??= platform.log.child({ requestId, workspaceId: workspace.id });
      return log;
    },
    requestId,
    ...(traceId !== undefined && { traceId }),
    ip,
    effect,
  };
}
