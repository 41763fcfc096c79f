// A program is connected: registered, asked for, allowed by a person, with tokens, and seen as its agent by /mcp.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { eras } from '../../mcp/era.js';
import { join, type Person } from '../people/browser.js';
import { connectProgram, Program } from './program.js';

const harness = useHarness();
let person: Person;
let agent: Json;
let shop: Json;

beforeAll(async () => {
  person = await join(harness, 'owner');
  const payer = await openWallet(harness.test, { funded: '500.00' });
  agent = await harness.test.make('/v1/agents', { parent_account_id: payer.account.id, name: 'Buyer', wallet: { currency: 'USD' } });
  const own = (await harness.test.get(`/v1/wallets?owner_type=agent`)).body.data[0];
  await harness.test.make('/v1/transfers', {
    type: 'internal',
    from_wallet_id: payer.wallet.id,
    to_wallet_id: own.id,
    amount: '200.00',
    currency: 'USD',
  });
  shop = await openWallet(harness.test, { name: 'Shop' });
});

describe('a program that is connected', () => {
  it.each(eras)('lists the tools of its agent, and pays within its budget: %s', async (_, open) => {
    const { accessToken, connection } = await connectProgram(person, { agent_id: agent.id });
    expect(connection).toMatchObject({ agent_id: agent.id, status: 'active', scopes: ['agent:read', 'agent:act'] });
    await using client = await open(harness.test.url, accessToken);
    expect(await client.names()).toContain('pay');
    const { data: me } = await client.call('whoami');
    expect(me.actor).toMatchObject({ type: 'agent', id: agent.id });
    expect(me.connection).toMatchObject({ id: connection.id, budget_id: connection.budget_id });
    const [wallet] = me.wallets.filter((one: Json) => one.owner_type === 'agent');
    const payment = { from_wallet_id: wallet.id, to_wallet_id: shop.wallet.id, currency: 'USD' };
    expect(await client.call('pay', { ...payment, amount: '5.00' })).toMatchObject({ data: { status: 'completed' } });
    expect(await client.refused('pay', { ...payment, amount: '16.00' })).toMatchObject({ code: 'budget_exceeded' });
  });

  it('is told where to get a token', async () => {
    const answer = await harness.test.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize' }, { as: null });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      `Bearer resource_metadata="${harness.test.url}/.well-known/oauth-protected-resource/mcp", scope="agent:read agent:act"`,
    );
    await Program.register(harness.test.url);
  });
});
