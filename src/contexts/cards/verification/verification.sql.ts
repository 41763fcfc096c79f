// The statements that remove old verifications and nonces.
import type { Platform } from '../../../platform/ctx.js';
import { byIndex } from '../../../platform/postgres/lookup-plan.js';

/**
 * Removes up to `most` verifications whose time is over, oldest first; answers how many. Their signatures have expired long before, so a
 * nonce that is gone proves nothing any more.
 */
export async function sweepVerifications({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-card-verifications',
      text: `DELETE FROM card_verification USING (
          SELECT workspace_id, id FROM card_verification WHERE kept_until < $1 ORDER BY kept_until LIMIT $2) old
        WHERE card_verification.workspace_id = old.workspace_id AND card_verification.id = old.id`,
      values: [clock.now(), most],
    }),
  );
  return rowCount ?? 0;
}

/** Removes up to `most` nonces of signatures that have ended, oldest first; answers how many. */
export async function sweepNonces({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-signature-nonces',
      text: `DELETE FROM signature_nonce USING (
          SELECT workspace_id, hash FROM signature_nonce WHERE kept_until < $1 ORDER BY kept_until LIMIT $2) old
        WHERE signature_nonce.workspace_id = old.workspace_id AND signature_nonce.hash = old.hash`,
      values: [clock.now(), most],
    }),
  );
  return rowCount ?? 0;
}
