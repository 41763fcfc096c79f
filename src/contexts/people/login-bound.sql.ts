// The statement that holds the browser sessions of a tenant to new settings.
import type { Tx } from '../../platform/postgres/database.js';
import { runIn } from '../../platform/postgres/database.js';

const boundStatement = {
  name: 'logins_bound',
  text: `
    UPDATE login SET
      idle_seconds = $3::integer,
      expires_at = least(expires_at, signed_in_at + make_interval(secs => $4::integer)),
      ended_at = CASE WHEN method::text = ANY ($5::text[]) OR id = $6::uuid THEN NULL ELSE $2::timestamptz END
    WHERE tenant_id = $1::uuid AND ended_at IS NULL AND expires_at > $2::timestamptz`,
};

export interface LoginBounds {
  tenantId: string;
  at: Date;
  idleSeconds: number;
  absoluteSeconds: number;
  /** Sessions that began in another way end. */
  methods: readonly string[];
  /** But for this one; null: none. */
  but: string | null;
}

/** Shortens the sessions of a tenant that are longer, and ends those whose method is off. */
export async function boundLogins(tx: Tx, { tenantId, at, idleSeconds, absoluteSeconds, methods, but }: LoginBounds): Promise<void> {
  await runIn(tx, boundStatement, [tenantId, at, idleSeconds, absoluteSeconds, methods, but]);
}
