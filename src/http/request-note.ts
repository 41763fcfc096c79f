// Tells of each request whose sender is known, when it is answered: who counts them is said by app.ts.
import type { Ctx, Platform } from '../platform/ctx.js';
import type { Handler } from './state.js';

/** A request that was answered. */
export interface AnsweredRequest {
  workspaceId: string;
  method: string;
  /** The path as it is declared, such as `/v1/transfers/{id}`; `unknown` without an endpoint. */
  route: string;
  status: number;
  milliseconds: number;
  // Gap G-429: A request belongs to the agent's account, or to the oldest account of a portal token's customer; operators to none.
  /** Whose request it was: the account of an agent, the oldest of a portal token's customer; null for an operator. */
  accountId: string | null;
}

const accountOf = ({ agent, customer }: Ctx['actor']): string | null => agent?.parentAccountId ?? customer?.accountIds[0] ?? null;

const isKnown = (ctx: Ctx | undefined): ctx is Ctx => ctx !== undefined && ctx.actor.type !== 'anonymous';

/** Calls `note` after each request that a credential came with. Stands early, so that it sees every status. */
export function noteRequests(note: (platform: Platform, request: AnsweredRequest) => void): Handler {
  return async (http, next) => {
    const begun = performance.now();
    try {
      await next();
    } finally {
      const { method, status, state } = http;
      if (isKnown(state.ctx)) {
        const { workspace, actor, platform } = state.ctx;
        const milliseconds = performance.now() - begun;
        note(platform, { workspaceId: workspace.id, accountId: accountOf(actor), method, route: state.route, status, milliseconds });
      }
    }
  };
}
