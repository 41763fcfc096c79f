// The version of a mandate, kept as it is: what is carried out later by a mandate of any version must not lose to a change of it.
import { runIn, type Tx } from '../../../platform/postgres/database.js';

/** Locks a mandate against change and revocation until the transaction ends. */
export async function lockMandateVersion(tx: Tx, workspaceId: string, id: string): Promise<void> {
  const text = 'SELECT id FROM mandate WHERE workspace_id = $1::uuid AND id = $2::uuid FOR SHARE';
  await runIn(tx, { name: 'keep-mandate', text }, [workspaceId, id]);
}
