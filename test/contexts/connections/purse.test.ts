// The purse of a connection (CONTRACT.md 22): what people approve counts, and it is closed when the connection or its agent ends. That it
// holds against many payments at once is tested in purse-process.test.ts, and that its streams end in ../people/revocation.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { eras, rawCaller } from '../../mcp/era.js';
import { join, type Person } from '../people/browser.js';
import { connectProgram, send } from './program.js';

const harness = useHarness();
const patience = { timeout: 120_000 };
let person: Person;
let payer: Awaited<ReturnType<typeof openWallet>>;
let shop: Json;

beforeAll(async () => {
  person = await join(harness, 'owner');
  payer = await openWallet(harness.test, { funded: '5000.00' });
  shop = await openWallet(harness.test, { name: 'Shop' });
});
afterAll(() => harness.runDue());

/** An agent with money. */
async function richAgent(): Promise<{ agent: Json; wallet: Json }> {
  const agent = await harness.test.make('/v1/agents', { parent_account_id: payer.account.id, name: 'Buyer', wallet: { currency: 'USD' } });
  const [wallet] = (await harness.test.get(`/v1/wallets?owner_type=agent&owner_id=${agent.id}`)).body.data;
  const fill = { type: 'internal', from_wallet_id: payer.wallet.id, to_wallet_id: wallet.id, amount: '300.00', currency: 'USD' };
  await harness.test.make('/v1/transfers', fill);
  return { agent, wallet };
}

/** Calls tools in an era: what is answered, or the error. */
async function caller(era: string, token: string): Promise<(name: string, given: object) => Promise<Json>> {
  const call = await rawCaller(era, harness.test.url, token);
  return async (name, given) => {
    const { status, body } = await call(name, given);
    if (body?.result === undefined) return { status, code: body?.error?.data?.code };
    const { isError, content, structuredContent } = body.result;
    return isError ? JSON.parse(content[0].text) : structuredContent;
  };
}

const spentOf = async (budgetId: string): Promise<Json> => (await harness.test.get(`/v1/budgets/${budgetId}`)).body.data;

describe.each(eras)('a purse, %s', (era) => {
  it('counts what a person approves', async () => {
    const { agent, wallet } = await richAgent();
    await harness.test.make('/v1/policies', {
      name: 'Ask',
      target: { type: 'agent', id: agent.id },
      rules: [],
      approval: { threshold: '10.00', currency: 'USD' },
    });
    const { accessToken, connection } = await connectProgram(person, { agent_id: agent.id });
    const call = await caller(era, accessToken);
    const party = { from_wallet_id: wallet.id, to_wallet_id: shop.wallet.id, currency: 'USD' };
    const asked = await call('pay', { ...party, amount: '15.00' });
    expect(asked.approval).toBeDefined();
    expect((await harness.test.post(`/v1/approvals/${asked.approval.id}/approve`, {})).status).toBe(200);
    expect(await spentOf(connection.budget_id)).toMatchObject({ spent: '15.00', reserved: '0.00', remaining: '5.00' });
    expect(await call('pay', { ...party, amount: '6.00' })).toMatchObject({ code: 'budget_exceeded' });
    expect(await call('pay', { ...party, amount: '5.00' })).toMatchObject({ data: { status: 'completed' } });
  });

  it('pays nothing once its connection was revoked', patience, async () => {
    const { agent, wallet } = await richAgent();
    const { accessToken, connection } = await connectProgram(person, { agent_id: agent.id });
    const call = await caller(era, accessToken);
    const party = { from_wallet_id: wallet.id, to_wallet_id: shop.wallet.id, currency: 'USD' };
    const begun = Array.from({ length: 50 }, () => call('pay', { ...party, amount: '0.10' }));
    await begun[0];
    await harness.test.delete(`/v1/connections/${connection.id}`);
    const after = await Promise.all(Array.from({ length: 20 }, () => call('pay', { ...party, amount: '0.10' })));
    expect(after.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 401));
    await Promise.all(begun);
    // The posting itself asks: a process that has not heard of it yet moves nothing.
    const { rows } = await harness.platform.database.pool.query(
      `SELECT guard_refusal(workspace_id, 'connection', id, now()) AS refusal FROM connection WHERE id = $1`,
      [connection.id.slice(4)],
    );
    expect(rows).toEqual([{ refusal: 'connection_ended' }]);
  });

  it('ends with its agent', async () => {
    const { agent } = await richAgent();
    const { accessToken, connection } = await connectProgram(person, { agent_id: agent.id });
    await harness.test.post(`/v1/agents/${agent.id}/revoke`, {});
    expect((await harness.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('revoked');
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
    const reply = await send(`${harness.test.url}/mcp`, { method: 'POST', headers, body: '{}' });
    expect([401, 403]).toContain(reply.status);
    const { body } = await harness.test.get('/v1/events?type=connection.revoked');
    expect(body.data.map((event: Json) => event.data.connection_id)).toContain(connection.id);
  });
});
