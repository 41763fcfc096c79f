// The statement that finds the wallet of an agent: every execution of a mandate asks for it (decision 0017).
import type { Ctx } from '../../platform/ctx.js';

/** The oldest active wallet of an agent in a currency, or else its oldest frozen one; undefined for none. */
export async function agentWalletId({ platform, workspace }: Ctx, agentId: string, currency: string): Promise<string | undefined> {
  const { rows } = await platform.database.pool.query<{ id: string }>({
    name: 'agent-wallet',
    text: `SELECT id FROM wallet WHERE workspace_id = $1::uuid AND agent_id = $2::uuid AND currency = $3 AND status <> 'closed'
      ORDER BY status, id LIMIT 1`,
    values: [workspace.id, agentId, currency],
  });
  return rows[0]?.id;
}
