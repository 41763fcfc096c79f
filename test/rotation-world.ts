// What the traffic of a rotation has to do with: wallets, an agent with its credentials, sessions, cursors and webhooks, all of them made before.
import { expect } from 'vitest';
import { sign } from './contexts/agents/identity.js';
import { rightDetails } from './factories/payout.js';
import { ask, make, type Server } from './load.js';
import type { SignedEndpoint } from './signed-endpoint.js';

export interface World {
  wallets: string[];
  payer: { wallet: string; token: string; session: string };
  jwt: string;
  mpp: string;
  bank: string;
  mcp: string[];
  cursors: string[];
  hooks: { path: string; id: string }[];
}

/** Makes all of it in a sandbox. */
export async function openWorld(server: Server, endpoint: SignedEndpoint): Promise<World> {
  const account = await make(server, '/v1/accounts', { type: 'business', name: 'Rotation' });
  for (let n = 0; n < 12; n += 1) await make(server, '/v1/accounts', { type: 'business', name: `Beside ${n}` });
  const wallets: string[] = [];
  for (let n = 0; n < 8; n += 1)
    wallets.push((await make(server, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' })).id);
  const payer = await openAgent(server, account.id);
  const payee = await openAgent(server, account.id);
  for (const id of [...wallets, payer.wallet]) await make(server, `/v1/wallets/${id}/fund`, { amount: '100000.00' });
  const mppBody = { service_url: 'https://api.example.com/data', payee_wallet_id: payee.wallet, deposit_amount: '10000.00' };
  const session = await ask({ ...server, key: payer.token }, 'POST', '/v1/mpp/sessions', {
    ...mppBody,
    agent_id: payer.id,
    wallet_id: payer.wallet,
  });
  expect(session.status, JSON.stringify(session.body)).toBeLessThan(300);
  const bank = await make(server, '/v1/bank-accounts', {
    account_id: account.id,
    rail: 'ach',
    holder_name: 'Ada',
    details: rightDetails['ach'],
  });
  const { token: jwt } = await make(server, '/v1/auth/session', { api_key: server.key });
  return {
    wallets,
    payer,
    jwt,
    mpp: session.body.data.id,
    bank: bank.id,
    mcp: await Promise.all(Array.from({ length: 5 }, () => openMcp(server))),
    cursors: await cursorsOf(server),
    hooks: await subscribe(server, endpoint),
  };
}

async function openAgent(server: Server, parent: string): Promise<{ id: string; wallet: string; token: string; session: string }> {
  const wanted = { parent_account_id: parent, name: 'Agent', generate_keypair: true, wallet: { currency: 'USD' } };
  const { data, credentials, authKey } = (await ask(server, 'POST', '/v1/agents', wanted)).body;
  const { challenge } = (await ask(server, 'POST', `/v1/agents/${data.id}/challenge`)).body;
  const proof = { challenge, signature: sign(challenge, authKey.privateKey) };
  const { sessionToken } = (await ask(server, 'POST', `/v1/agents/${data.id}/authenticate`, proof)).body;
  return { id: data.id, wallet: data.default_wallet_id, token: credentials.token, session: sessionToken };
}

async function openMcp(server: Server): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'rotation', version: '1' } };
  const begun = await ask(
    server,
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    {
      accept: 'application/json, text/event-stream',
    },
  );
  return begun.headers.get('mcp-session-id') ?? '';
}

async function cursorsOf(server: Server): Promise<string[]> {
  const cursors: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const after = cursors.length === 0 ? '' : `&starting_after=${cursors.at(-1)}`;
    cursors.push((await ask(server, 'GET', `/v1/accounts?limit=1${after}`)).body.pagination.next_cursor);
  }
  return cursors;
}

async function subscribe(server: Server, endpoint: SignedEndpoint): Promise<World['hooks']> {
  const hooks: World['hooks'] = [];
  for (const path of ['/kept', '/rotated', '/rotated-too']) {
    const { id, secret } = await make(server, '/v1/webhooks', { url: `http://${endpoint.host}${path}`, events: ['transfer.completed'] });
    endpoint.accept(path, secret);
    await expect
      .poll(async () => (await ask(server, 'GET', `/v1/webhooks/${id}`)).body.data.verification, { timeout: 60_000 })
      .toBe('verified');
    hooks.push({ path, id });
  }
  return hooks;
}
