// Whether somebody may pay, kept as it is: what begins to spend over time takes these locks first, so that a freeze either comes before
// it and is seen, or after it and sees what was begun.
import { runIn, type Tx } from '../../../platform/postgres/database.js';

/** A payer: its wallet, if it is not a card, and the agents that spend from it. */
export interface EligibilityRows {
  workspaceId: string;
  accountId: string;
  walletId: string | null;
  agentIds: readonly (string | null)[];
}

/**
 * Keeps the standing of a payer until the transaction ends. Locks the workspace's switch, the account, the wallet and the agents, in this
 * order.
 */
export async function lockEligibility(tx: Tx, { workspaceId, accountId, walletId, agentIds }: EligibilityRows): Promise<void> {
  const freeze = 'SELECT guard_workspace(w.workspace_id) FROM (VALUES ($1::uuid)) AS w (workspace_id)';
  await runIn(tx, { name: 'keep-workspace', text: freeze }, [workspaceId]);
  for (const [table, ids] of [
    ['account', [accountId]],
    ['wallet', walletId === null ? [] : [walletId]],
    ['agent', agentIds.filter((id) => id !== null)],
  ] as const) {
    if (ids.length === 0) continue;
    const text = `SELECT id FROM ${table} WHERE workspace_id = $1::uuid AND id = ANY ($2::uuid[]) ORDER BY id FOR SHARE`;
    await runIn(tx, { name: `keep-${table}`, text }, [workspaceId, ids]);
  }
}
