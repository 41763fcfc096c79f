// The budget of a connection ends with the connection alone: without it the program would spend without any (CONTRACT.md 22).
import { expect, it } from 'vitest';
import { openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { join } from '../people/browser.js';
import { connectProgram } from './program.js';

const harness = useHarness();

it('409 for who deletes it, or lets it expire, until the connection is revoked', async () => {
  const { account } = await openWallet(harness.test);
  const agent = await harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer', wallet: { currency: 'USD' } });
  const { connection } = await connectProgram(await join(harness, 'owner'), { agent_id: agent.id });
  const path = `/v1/budgets/${connection.budget_id}`;
  const { key } = await harness.test.make('/v1/api-keys', { name: 'Limits', scopes: ['policies:write'] });
  const next_actions = [{ rel: 'revoke', actor: 'any', method: 'DELETE', path: `/v1/connections/${connection.id}` }];
  expectRefused(await harness.test.delete(path, { as: key }), 409, 'state_conflict', { next_actions });
  const expires_at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
  expectRefused(await harness.test.patch(path, { expires_at }, { as: key }), 409, 'state_conflict', { next_actions });
  expect((await harness.test.patch(path, { amount: '10.00' }, { as: key })).body.data).toMatchObject({ amount: '10.00' });
  expect((await harness.test.delete(`/v1/connections/${connection.id}`)).status).toBe(200);
  expectRefused(await harness.test.get(path), 404, 'not_found');
});
