// What every new instruction is: who asks for it, for whom, and of which network.
import type { Ctx } from '../../../platform/ctx.js';
import { laneOf } from '../../settlement/payout/payout.js';
import { initiatorOf } from '../../spending/approval/approval-request.js';

export interface InstructionFrame {
  network: string;
  agentId: string;
  accountId: string;
  /** As the caller has sent it; the network gets all of it. */
  payload: Readonly<Record<string, unknown>>;
}

/** The columns that every new instruction has. */
export function instructionRow(ctx: Ctx, { network, agentId, accountId, payload }: InstructionFrame, at: Date) {
  return {
    agentId,
    accountId,
    network,
    payload: { ...payload } as object,
    requestedByType: initiatorOf(ctx.actor.type),
    requestedById: ctx.actor.id,
    traceId: ctx.traceId ?? null,
    createdAt: at,
    updatedAt: at,
    lane: laneOf(ctx, network),
  };
}
