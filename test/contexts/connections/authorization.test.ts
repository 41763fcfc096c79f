// Who registers, and where an authorization leads (CONTRACT.md 22; security property 8).
import { beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { Browser, Program, redirectUri, register, send } from './program.js';

const harness = useHarness();
let program: Program;
beforeAll(async () => {
  program = await Program.register(harness.test.url);
});

describe('registration', () => {
  it('takes a name as text, without controls and cut to 60 characters', async () => {
    const reply = await register(harness.test.url, { client_name: `Claude <b>\u202e\u0000${'x'.repeat(100)}` });
    expect(reply.body).toMatchObject({ token_endpoint_auth_method: 'none', application_type: 'native' });
    expect([...reply.body.client_name]).toHaveLength(60);
    expect(reply.body.client_name.startsWith('Claude <b> x')).toBe(true);
    expect(reply.body.client_secret).toBeUndefined();
  });

  it('is of the web where all answers go to https', async () => {
    const reply = await register(harness.test.url, { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] });
    expect([reply.status, reply.body.application_type]).toEqual([201, 'web']);
  });

  it.each([
    ['http elsewhere than on this computer', 'http://stranger.example/cb'],
    ['http on a name that looks like this computer', 'http://localhost.stranger.example/cb'],
    ['a fragment', 'https://claude.ai/cb#x'],
    ['an empty fragment', 'https://claude.ai/cb#'],
    ['a user', 'https://claude.ai@stranger.example/cb'],
    ['an empty user', 'https://@stranger.example/cb'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['a file', 'file:///etc/passwd'],
    ['a backslash', 'https:\\\\stranger.example/cb'],
    ['a line break', 'https://claude.ai/cb\r\nX: y'],
    ['a space', 'https://claude.ai/ cb'],
    ['no scheme', '//claude.ai/cb'],
    ['a path', '/cb'],
    ['no text', 7],
  ])('refuses answers to %s', async (_, uri) => {
    const reply = await register(harness.test.url, { redirect_uris: [uri] });
    expect([reply.status, reply.body?.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it.each([['{'], ['[]'], ['"text"'], ['']])('refuses %s as a body', async (body) => {
    const reply = await send(`${harness.test.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect([reply.status, reply.body?.error]).toEqual([400, 'invalid_client_metadata']);
  });
});

describe('an authorization', () => {
  // Security property 8: none of these leaves to where it says.
  const spellings = [
    'http://127.0.0.1:7777/callbac',
    'http://127.0.0.1:7777/callback/',
    'http://127.0.0.1:7777/callback/more',
    'http://127.0.0.1:7777/callback?x=1',
    'http://127.0.0.1:7777/callback#x',
    'http://127.0.0.1:7777/callback?',
    'http://127.0.0.1:7777/Callback',
    'http://127.0.0.1:7777/%63allback',
    'http://127.0.0.1:7777/./callback',
    'http://127.0.0.1:7777//callback',
    'http://127.0.0.1:7777/x/../callback',
    'http://127.0.0.1:7777\\callback',
    'http:/127.0.0.1:7777/callback',
    'http:127.0.0.1:7777/callback',
    'HTTP://127.0.0.1:7777/callback',
    'https://127.0.0.1:7777/callback',
    'http://localhost:7777/callback',
    'http://[::1]:7777/callback',
    'http://127.0.0.1.:7777/callback',
    'http://127.0.0.2:7777/callback',
    'http://127.1:7777/callback',
    'http://0x7f000001:7777/callback',
    'http://2130706433:7777/callback',
    'http://0.0.0.0:7777/callback',
    'http://a@127.0.0.1:7777/callback',
    'http://127.0.0.1:7777@stranger.example/callback',
    'http://127.0.0.1:stranger.example/callback',
    'http://127.0.0.1.stranger.example:7777/callback',
    'http://stranger.example/callback',
    'http://stranger.example\\@127.0.0.1:7777/callback',
    '//stranger.example/callback',
    '/callback',
    '/\\stranger.example',
    'javascript:alert(1)',
    'data:text/html,x',
    ' http://127.0.0.1:7777/callback',
    'http://127.0.0.1:7777/callback ',
    'http://127.0.0.1:7777/callback\r\nX: y',
    'http://127.0.0.1:7777/callback%0d%0aX:y',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:/stranger/callback',
    '',
  ];
  it.each(spellings)('sends nobody to %j', async (uri) => {
    const reply = await new Browser().open(program.authorizeUrl({ redirect_uri: uri }));
    expect(reply.status).toBe(400);
    expect(reply.headers['location']).toBeUndefined();
    expect(reply.headers['content-type']).toMatch(/html/);
    expect(String(reply.headers['content-security-policy'])).toContain("frame-ancestors 'none'");
    expect(reply.text).not.toMatch(/<(script|link|img|style)/);
  });

  it('comes back to any port of this computer', async () => {
    const uid = await program.begin(new Browser(), { redirect_uri: 'http://127.0.0.1:5151/callback' });
    expect(uid).toMatch(/^[\w-]{43}$/);
  });

  it('comes back to one port of a client of the web alone', async () => {
    const web = await Program.register(harness.test.url, { redirect_uris: ['https://claude.ai/cb'] });
    const reply = await new Browser().open(web.authorizeUrl({ redirect_uri: 'https://claude.ai:8443/cb' }));
    expect([reply.status, reply.headers['location']]).toEqual([400, undefined]);
  });

  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['the resource of another', { resource: 'https://stranger.example/mcp' }, 'invalid_target'],
    ['no page', { prompt: 'none' }, 'consent_required'],
  ])('sends the browser back with an error for %s', async (_, more, error) => {
    const reply = await new Browser().open(program.authorizeUrl(more));
    const location = new URL(String(reply.headers['location']));
    expect(location.origin + location.pathname).toBe(redirectUri);
    const told = new URLSearchParams(location.search || location.hash.slice(1));
    expect(Object.fromEntries(told)).toMatchObject({ error, state: 'the-state', iss: harness.test.url });
  });

  it('refuses the resource of the other listener', async () => {
    const reply = await new Browser().open(program.authorizeUrl({ resource: `${harness.live.url}/mcp` }));
    expect(new URL(String(reply.headers['location'])).searchParams.get('error')).toBe('invalid_target');
  });

  it('does not know a client of the other listener', async () => {
    const there = await Program.register(harness.live.url);
    const stranger = new Program(harness.test.url, there.clientId);
    expect((await new Browser().open(stranger.authorizeUrl())).status).toBe(400);
  });
});
