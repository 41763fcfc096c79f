// Builds the ctx of one request or one step of a worker.

import type { Browser } from './browser.js';
import { shiftedClock } from './clock.js';
import type { Identity } from './credential.js';
import type { Act, Ctx, Platform } from './ctx.js';
import { Effect } from './effect.js';
import type { Logger } from './log.js';
import type { TracePlace, TraceSpan } from './trace.js';

/** What names a request. */
export interface RequestFacts {
  requestId: string;
  /** Of work that is done later for a request: no more than its trace is known by then. */
  traceId?: string;
  /** Where it stands in a trace. */
  trace?: TracePlace;
  span?: TraceSpan;
  ip: string;
  /** Where callers reach the listener that it came by. */
  origin?: () => string;
  /** Shared with whoever gives the request up; work that nobody asked for has its own. */
  effect?: Effect;
  /** Of a request that goes on in another workspace, or in another name. */
  act?: Act | null;
  browser?: Browser;
}

/** A ctx that sees the identity's workspace alone and lives in its time. The logger is made when it is first asked for. */
export function createCtx(platform: Platform, { actor, workspace }: Identity, facts: RequestFacts): Ctx {
  const { requestId, trace, traceId = trace?.traceId, span, ip, origin, effect = new Effect(), act, browser } = facts;
  let log: Logger | undefined;
  return {
    actor,
    workspace,
    db: platform.database.forWorkspace(workspace.id, workspace.tenantId),
    clock: shiftedClock(platform.clock, workspace.clockOffsetMs),
    platform,
    get log() {
      log ??= platform.log.child({ requestId, workspaceId: workspace.id });
      return log;
    },
    requestId,
    ...(traceId !== undefined && { traceId }),
    ...(trace !== undefined && { trace }),
    ...(span !== undefined && { span }),
    ip,
    ...(origin !== undefined && { origin }),
    effect,
    ...(act !== undefined && { act }),
    ...(browser !== undefined && { browser }),
  };
}
