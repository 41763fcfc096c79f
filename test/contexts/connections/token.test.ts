// Codes and tokens of connections: used once, for /mcp alone, and no longer than the connection (CONTRACT.md 22; security properties 10, 11).
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepConnections } from '../../../src/contexts/connections/connection.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { envelope, headersOf, post } from '../../mcp/modern.js';
import { join, type Person } from '../people/browser.js';
import { allow, Browser, connectProgram, Program, send } from './program.js';

const harness = useHarness();
let person: Person;
let account: Json;
let program: Program;

// Some tests move the clock by more than a session lasts.
beforeEach(async () => {
  person = await join(harness, 'owner');
});
beforeAll(async () => {
  ({ account } = await openWallet(harness.test));
  program = await Program.register(harness.test.url);
});

const newAgent = () => harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer', wallet: { currency: 'USD' } });
const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** What /mcp answers to a message with a token, before there is a session. */
const messageBy = (token: string, url = harness.test.url) =>
  send(`${url}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify(initialize),
  });

// Security property 10.
describe('a code', () => {
  const codeOf = async () => {
    const own = await Program.register(harness.test.url);
    const browser = new Browser();
    const uid = await own.begin(browser);
    const { body } = await allow(person, browser, uid, { agent_id: (await newAgent()).id });
    const back = await own.codeFrom(browser, body.data.redirect_to);
    return { own, code: back.get('code') ?? '', connection: body.data.connection, browser, redirectTo: body.data.redirect_to, back };
  };

  it('comes with state and issuer, and is brought by the browser that began alone', async () => {
    const { back, redirectTo, browser } = await codeOf();
    expect([back.get('state'), back.get('iss')]).toEqual(['the-state', harness.test.url]);
    expect((await browser.open(redirectTo)).status).toBe(400);
    expect((await new Browser().open(redirectTo)).status).toBe(400);
  });

  it('is used once, and its second use ends the connection', async () => {
    const { own, code, connection } = await codeOf();
    const first = await own.exchange(code);
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'agent:read agent:act' });
    expect((await own.exchange(code)).body.error).toBe('invalid_grant');
    expect((await harness.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('revoked');
    expect((await messageBy(first.body.access_token)).status).toBe(401);
    expect((await own.refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('wins once, of 50 at once', async () => {
    const { own, code } = await codeOf();
    const answers = await Promise.all(Array.from({ length: 50 }, () => own.exchange(code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['another verifier', { code_verifier: 'x'.repeat(43) }],
    ['another address', { redirect_uri: 'http://127.0.0.1:7778/callback' }],
  ])('is refused with %s', async (_, more) => {
    const { own, code } = await codeOf();
    const reply = await own.exchange(code, more as Record<string, string>);
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_grant']);
  });

  it('is of its client, and for its listener', async () => {
    const { own, code } = await codeOf();
    const other = new Program(harness.test.url, program.clientId);
    expect((await other.exchange(code, { code_verifier: own.verifier })).body.error).toBe('invalid_grant');
    expect((await own.exchange(code, { resource: `${harness.live.url}/mcp` })).body.error).toBe('invalid_target');
  });

  it('is over after a minute', async () => {
    const { own, code } = await codeOf();
    harness.clock.advance(61);
    expect((await own.exchange(code)).body.error).toBe('invalid_grant');
  });
});

describe('a refresh token', () => {
  it('rotates; one that is used again ends the connection', async () => {
    const connected = await connectProgram(person, { agent_id: (await newAgent()).id });
    const { program: own, refreshToken, connection } = connected;
    const next = await own.refresh(refreshToken);
    expect(next.status).toBe(200);
    expect(next.body.refresh_token).not.toBe(refreshToken);
    expect((await own.refresh(refreshToken)).body.error).toBe('invalid_grant');
    expect((await own.refresh(next.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await messageBy(next.body.access_token)).status).toBe(401);
    expect((await harness.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('revoked');
  });

  it('wins once, of 50 at once', async () => {
    const { program: own, refreshToken } = await connectProgram(person, { agent_id: (await newAgent()).id });
    const answers = await Promise.all(Array.from({ length: 50 }, () => own.refresh(refreshToken)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('does not outlive its connection', async () => {
    const {
      program: own,
      refreshToken,
      connection,
    } = await connectProgram(person, {
      agent_id: (await newAgent()).id,
      expires_in: 3_600,
    });
    harness.clock.advance(3_000);
    const next = await own.refresh(refreshToken);
    expect(next.body.expires_in).toBe(600);
    harness.clock.advance(601);
    expect((await own.refresh(next.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await messageBy(next.body.access_token)).status).toBe(401);
    await sweepConnections(harness.platform);
    expect((await harness.test.get(`/v1/budgets/${connection.budget_id}`)).status).toBe(404);
    expect((await harness.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('expired');
  });

  it('is given up by its client, and the connection with it', async () => {
    const { program: own, refreshToken, connection } = await connectProgram(person, { agent_id: (await newAgent()).id });
    expect((await program.revoke(refreshToken)).status).toBe(200);
    expect((await harness.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('active');
    expect((await own.revoke(refreshToken)).status).toBe(200);
    expect((await harness.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('revoked');
    expect((await own.revoke('nothing')).status).toBe(200);
  });
});

// Security property 11.
describe('a token of a connection', () => {
  it('is good for /mcp of its listener alone', async () => {
    const { accessToken, refreshToken } = await connectProgram(person, { agent_id: (await newAgent()).id });
    for (const path of ['/v1/me', '/v1/wallets', '/v1/agents']) {
      const answer = await harness.test.get(path, { as: accessToken });
      expect([answer.status, answer.body.code]).toEqual([401, 'invalid_connection_token']);
    }
    expect((await harness.test.graphql('{ me { tenantId } }', {}, { as: accessToken })).status).toBe(401);
    expect((await messageBy(accessToken, harness.live.url)).status).toBe(401);
    expect((await messageBy(refreshToken)).status).toBe(401);
    // Without a session it is told so: it was let in. The revision of 2026-07-28 needs none.
    expect((await post(harness.test.url, accessToken, { ...initialize, params: { _meta: envelope } })).status).toBe(200);
    expect((await messageBy(accessToken)).status).toBe(400);
    harness.clock.advance(901);
    const late = await messageBy(accessToken);
    expect((await post(harness.test.url, accessToken, { ...initialize, params: { _meta: envelope } })).status).toBe(401);
    expect(late.status).toBe(401);
    expect(late.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token", resource_metadata="http/);
  });

  it('leaves keys and tokens of agents as they were', async () => {
    const { credentials } = (await harness.test.post('/v1/agents', { parent_account_id: account.id, name: 'Own' })).body;
    expect((await messageBy(harness.test.key)).status).toBe(400);
    expect((await messageBy(credentials.token)).status).toBe(400);
  });

  it('is told which scope it lacks', async () => {
    const own = await Program.register(harness.test.url);
    const { accessToken } = await connectProgram(
      person,
      { agent_id: (await newAgent()).id, scopes: ['agent:read'], budget: undefined },
      own,
    );
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pay', arguments: {} } };
    const modern = { ...call, params: { ...call.params, _meta: envelope } };
    for (const [message, id] of [
      [call, null],
      [modern, 1],
    ] as const) {
      const headers = { ...(message === modern ? headersOf(modern) : headersOf({})), Authorization: `Bearer ${accessToken}` };
      const reply = await send(`${harness.test.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
      expect([reply.status, reply.body.error.data.code, reply.body.id]).toEqual([403, 'insufficient_scope', id]);
      expect(reply.headers['www-authenticate']).toBe(
        `Bearer error="insufficient_scope", resource_metadata="${harness.test.url}/.well-known/oauth-protected-resource/mcp", scope="agent:read agent:act"`,
      );
    }
  });
});
