// An independent implementation of the client's side finds nothing wrong with the documents and the answers of the authorization server.
import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWallet, useHarness } from '../../harness.js';
import { join, type Person } from '../people/browser.js';
import { allow, Browser, redirectUri } from './program.js';

const harness = useHarness();
const insecure = { [oauth.allowInsecureRequests]: true };
let person: Person;
let agentId: string;
let server: oauth.AuthorizationServer;

beforeAll(async () => {
  person = await join(harness, 'owner');
  const { account } = await openWallet(harness.test);
  agentId = (await harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer' })).id;
  const issuer = new URL(harness.test.url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  server = await oauth.processDiscoveryResponse(issuer, response);
});

describe('the documents', () => {
  it('lead from /mcp to its authorization server', async () => {
    const resource = new URL(`${harness.test.url}/mcp`);
    const response = await oauth.resourceDiscoveryRequest(resource, insecure);
    const document = await oauth.processResourceDiscoveryResponse(resource, response);
    expect(document).toMatchObject({
      authorization_servers: [harness.test.url],
      scopes_supported: ['agent:read', 'agent:act'],
      bearer_methods_supported: ['header'],
    });
    expect((await harness.test.get('/.well-known/oauth-protected-resource', { as: null })).body).toEqual(document);
  });

  it('say what the server does, under both names', async () => {
    expect(server).toMatchObject({
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
      grant_types_supported: ['authorization_code', 'refresh_token'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none'],
    });
    const issuer = new URL(harness.test.url);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...insecure });
    expect(await oauth.processDiscoveryResponse(issuer, response)).toMatchObject(server);
  });
});

it('registers, gets a code, tokens and fresh ones, and gives them up', async () => {
  const registered = await oauth.dynamicClientRegistrationRequest(server, { redirect_uris: [redirectUri] } as never, insecure);
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(String(server.authorization_endpoint));
  const resource = `${harness.test.url}/mcp`;
  const query = { client_id: client.client_id, redirect_uri: redirectUri, response_type: 'code', state: 's', resource };
  const challenge = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
  url.search = String(new URLSearchParams({ ...query, ...challenge, scope: 'agent:read agent:act' }));
  const browser = new Browser();
  const uid = String((await browser.open(url.href)).headers['location'])
    .split('/')
    .at(-1);
  const { body } = await allow(person, browser, String(uid), { agent_id: agentId });
  const back = await browser.open(body.data.redirect_to);
  const answer = oauth.validateAuthResponse(server, client, new URL(String(back.headers['location'])), 's');
  const none = oauth.None();
  const more = { additionalParameters: { resource }, ...insecure };
  const ask = () => oauth.authorizationCodeGrantRequest(server, client, none, answer, redirectUri, verifier, more);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, await ask());
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'agent:read agent:act' });
  const refresh = () => oauth.refreshTokenGrantRequest(server, client, none, String(tokens.refresh_token), insecure);
  const next = await oauth.processRefreshTokenResponse(server, client, await refresh());
  const given = await oauth.revocationRequest(server, client, none, String(next.refresh_token), insecure);
  await oauth.processRevocationResponse(given);
  await expect(oauth.processRefreshTokenResponse(server, client, await refresh())).rejects.toMatchObject({
    name: 'ResponseBodyError',
    error: 'invalid_grant',
    status: 400,
  });
  await expect(oauth.processAuthorizationCodeResponse(server, client, await ask())).rejects.toMatchObject({ error: 'invalid_grant' });
  await expect(
    oauth.protectedResourceRequest(tokens.access_token, 'POST', new URL(resource), undefined, null, insecure),
  ).rejects.toMatchObject({
    name: 'WWWAuthenticateChallengeError',
    status: 401,
  });
});
