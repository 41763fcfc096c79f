// The version of a mandate, kept as it is: what is carried out later by a mandate of any version must not lose to a change of it.
import { runIn, type Tx } from '../../../platform/postgres/database.js';

/** Keeps a mandate from being changed or revoked until the transaction ends. */
export async function keepMandate(tx: Tx, workspaceId: string, id: string): Promise<void> {
  const text = 'SELECT id FROM mandate WHERE workspace_id = $1::uuid AND id = $2::uuid FOR SHARE';
  await runIn(tx, { name: 'keep-mandate', text }, [workspaceId, id]);
}
