// The authorization server runs on Node 22, which is advised for it, as it does on the Node of the other tests: connect, consent, pay, refresh,
// revoke. Skipped where Node 22 is not installed.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type Json, openWallet } from '../../harness.js';
import { connect } from '../../mcp/client.js';
import { connectNext } from '../../mcp/next-client.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';
import { node22 } from '../../oracles/installed.js';
import { buildOnce, type ServerProcess, startServerProcess } from '../../process.js';
import { joinByCommandLine } from '../people/command-line.js';
import { connectProgram } from './program.js';

describe.skipIf(node22 === undefined)('on Node 22', () => {
  let database: NewDatabase;
  let server: ServerProcess;
  let env: Record<string, string>;

  beforeAll(async () => {
    await buildOnce();
    database = await newDatabase();
    env = {
      PORT: '0',
      SANDBOX_PORT: '0',
      DATABASE_URL: database.url,
      SECRETS_KEY: randomBytes(32).toString('hex'),
      BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
      LOG_LEVEL: 'error',
    };
    server = await startServerProcess(env, { bin: node22 as string });
  }, 240_000);
  afterAll(async () => {
    if (server?.isRunning) await server.kill('SIGTERM');
    await database?.drop();
  });

  it('connects, pays 5 of 20, is refused 16, refreshes and is revoked, and nothing complains', { timeout: 120_000 }, async () => {
    const client = new Client(server.test, env['BOOTSTRAP_TEST_KEY'] ?? '');
    const owner = await joinByCommandLine(client, env);
    const payer = await openWallet(client, { funded: '50.00' });
    const shop: Json = await openWallet(client, { name: 'Shop' });
    const agent = await client.make('/v1/agents', { parent_account_id: payer.account.id, name: 'Buyer', wallet: { currency: 'USD' } });
    const from = agent.default_wallet_id;
    const fill = { type: 'internal', from_wallet_id: payer.wallet.id, to_wallet_id: from, amount: '40.00', currency: 'USD' };
    await client.make('/v1/transfers', fill);
    const { program, connection, accessToken, refreshToken } = await connectProgram(owner, { agent_id: agent.id });
    const payment = { from_wallet_id: from, to_wallet_id: shop.wallet.id, currency: 'USD' };
    {
      await using model = await connect(server.test, accessToken);
      expect(await model.call('pay', { ...payment, amount: '5.00' })).toMatchObject({ data: { status: 'completed' } });
      expect(await model.refused('pay', { ...payment, amount: '16.00' })).toMatchObject({ code: 'budget_exceeded' });
    }
    const next = (await program.refresh(refreshToken)).body;
    {
      await using model = await connectNext(server.test, next.access_token, { pin: '2026-07-28' });
      expect(await model.call('pay', { ...payment, amount: '1.00' })).toMatchObject({ data: { status: 'completed' } });
    }
    expect((await client.delete(`/v1/connections/${connection.id}`)).status).toBe(200);
    await expect(connect(server.test, next.access_token)).rejects.toThrow();
    await expect(connectNext(server.test, next.access_token, { pin: '2026-07-28' })).rejects.toThrow();
    expect((await program.refresh(next.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.get(`/v1/wallets/${from}`)).body.data.balance.available).toBe('34.00');
    expect(server.stderr).toBe('');
  });
});
