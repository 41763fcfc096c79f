// A connection that is revoked while a posting of its program is under way: the answer waits for that posting, and later ones see it revoked.
import { expect, it } from 'vitest';
import { parseId } from '../../../src/platform/schema/id.js';
import { openWallet, useHarness } from '../../harness.js';
import { query } from '../../ledger/wallet-ref.js';
import { join } from '../people/browser.js';
import { connectProgram } from './program.js';

const harness = useHarness();

it('200: after the posting has ended, and not before', async () => {
  const { account } = await openWallet(harness.test);
  const agent = await harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer', wallet: { currency: 'USD' } });
  const { connection } = await connectProgram(await join(harness, 'owner'), { agent_id: agent.id });
  const [row] = await query(harness, 'SELECT workspace_id AS workspace FROM connection WHERE id = $1', [
    parseId('connection', connection.id),
  ]);
  const guard = 'SELECT guard_connection($1, $2, $3) AS refusal';
  const values = [row?.['workspace'], parseId('connection', connection.id), harness.clock.now()];
  const posting = await harness.platform.database.pool.connect();
  try {
    await posting.query('BEGIN');
    expect((await posting.query(guard, values)).rows).toEqual([{ refusal: null }]);
    let hasEnded = false;
    const revoked = harness.test.delete(`/v1/connections/${connection.id}`).finally(() => {
      hasEnded = true;
    });
    const waiting = "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = $1";
    const [database] = await query(harness, 'SELECT oid FROM pg_database WHERE datname = current_database()');
    await expect.poll(async () => (await query(harness, waiting, [database?.['oid']]))[0]?.['n']).toBe(1);
    expect(hasEnded).toBe(false);
    await posting.query('COMMIT');
    expect((await revoked).status).toBe(200);
    expect((await posting.query(guard, values)).rows).toEqual([{ refusal: 'connection_ended' }]);
  } finally {
    posting.release();
  }
});
