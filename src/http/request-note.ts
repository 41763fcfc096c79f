// Tells of each request whose sender is known, when it is answered: who counts them is said by app.ts.
import type { Ctx } from '../platform/ctx.js';
import type { Handler } from './state.js';

/** A request that was answered. */
export interface AnsweredRequest {
  workspaceId: string;
  method: string;
  /** The path as it is declared, such as `/v1/transfers/{id}`; `unknown` without an endpoint. */
  route: string;
  status: number;
  milliseconds: number;
}

const isKnown = (ctx: Ctx | undefined): ctx is Ctx => ctx !== undefined && ctx.actor.type !== 'anonymous';

/** Calls `note` after each request that a credential came with. Stands early, so that it sees every status. */
export function noteRequests(note: (request: AnsweredRequest) => void): Handler {
  return async (http, next) => {
    const begun = performance.now();
    try {
      await next();
    } finally {
      const { method, status, state } = http;
      if (isKnown(state.ctx))
        note({ workspaceId: state.ctx.workspace.id, method, route: state.route, status, milliseconds: performance.now() - begun });
    }
  };
}
