// Builds the ctx of one request or one step of a worker.
import { shiftedClock } from './clock.js';
import type { Identity } from './credential.js';
import type { Ctx, Platform } from './ctx.js';
import type { Logger } from './log.js';

/** A ctx that sees the identity's workspace alone and lives in its time. The logger is made when it is first asked for. */
export function createCtx(platform: Platform, { actor, workspace }: Identity, requestId: string, ip: string): Ctx {
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
    ip,
  };
}
