// A cart as UCP leaves it: a platform makes one by its profile, which tests of all nouns have not.
import type { Harness, Json } from '../harness.js';

interface Of {
  merchant: string;
  /** The agent that made it, by its UUID. */
  agent?: string;
  buyer?: object;
}

/** A cart at a merchant. */
export async function storedCart({ platform }: Pick<Harness, 'platform'>, { merchant, agent, buyer }: Of): Promise<Json> {
  const { rows } = await platform.database.pool.query<{ id: string }>(
    `INSERT INTO cart
       (workspace_id, id, merchant_id, lines, currency, buyer, creator_agent_id, created_at, updated_at, expires_at, due_at)
     SELECT workspace_id, gen_random_uuid(), id, $2, 'USD', $3, $4, $5, $5, $5::timestamptz + interval '7 days',
       $5::timestamptz + interval '7 days'
     FROM merchant WHERE id = $1 RETURNING id`,
    [
      merchant.replace('mer_', ''),
      JSON.stringify([{ name: 'line_1', id: 'mug', quantity: 2, title: 'Mug', unitPrice: '1250' }]),
      buyer === undefined ? null : JSON.stringify(buyer),
      agent ?? null,
      platform.clock.now(),
    ],
  );
  return { id: `cart_${rows[0]?.id}` };
}
