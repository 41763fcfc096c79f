// What stops at the instant at which somebody's spending is stopped.
import type { Ctx } from './ctx.js';
import { manyParts } from './extension.js';
import type { Tx } from './postgres/database.js';

/** Something whose spending has just been stopped, and the code for why. A revoked agent is stopped for good. */
export interface Frozen {
  kind: 'workspace' | 'account' | 'wallet' | 'agent';
  id: string;
  reason: 'workspace_frozen' | 'account_suspended' | 'wallet_frozen' | 'agent_frozen' | 'agent_suspended' | 'agent_revoked';
}

/**
 * What a context stops when spending is stopped, in that transaction: whoever froze it holds its row, and has not touched a ledger account
 * yet.
 */
export type OnFreeze = (ctx: Ctx, tx: Tx, frozen: Frozen) => Promise<void>;

export const onFreeze = manyParts<OnFreeze>('what stops with the spending of a payer');

/** Stops what every context keeps running for a payer whose spending has just been stopped. */
export async function stopRunning(ctx: Ctx, tx: Tx, frozen: Frozen): Promise<void> {
  for (const stop of ctx.platform.extensions.of(onFreeze)) await stop(ctx, tx, frozen);
}
