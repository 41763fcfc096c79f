// How a client that knows nothing but the address of /mcp is let in (CONTRACT.md 22): documents that lead it to the authorization server,
// which is this listener, and the endpoints of that. What they do is the business of a context; here they get their place.
import type { Endpoint } from '../http/router.js';
import type { Handler, HttpContext } from '../http/state.js';
import { agentScopes } from '../platform/agent-scope.js';
import { originFor } from '../platform/authority.js';
import type { OAuthAnswer, OAuthRequest } from '../platform/oauth.js';
import { readBytes } from '../rest/body.js';

/** Bytes of a request of /oauth. */
const mostBytes = 32 * 1024;

export interface OAuthParts {
  /** The public address of this listener; null: none is configured. */
  baseUrl: string | null;
  /** Where it listens. */
  host: string;
  answer: (request: OAuthRequest) => Promise<OAuthAnswer>;
  /** What a request passes before it is read, in order. */
  guards: readonly Handler[];
}

/** The endpoints of the authorization server, and the documents that lead to them. */
export function oauthEndpoints(parts: OAuthParts): Endpoint[] {
  const { guards } = parts;
  const open = { isOpen: true } as const;
  const document = (path: string, of: (issuer: string) => object): Endpoint => ({
    ...open,
    method: 'GET',
    path,
    handlers: [...guards, serveDocument(parts, of)],
  });
  const answered = (method: 'GET' | 'POST', path: string): Endpoint => ({
    ...open,
    method,
    path,
    handlers: [...guards, serveOAuth(parts, method)],
  });
  const base = basePath(parts.baseUrl);
  return [
    ...placesOf('/.well-known/oauth-protected-resource', base, ['', '/mcp']).map((path) => document(path, protectedResource)),
    ...placesOf('/.well-known/oauth-authorization-server', base).map((path) => document(path, authorizationServer)),
    ...placesOf('/.well-known/openid-configuration', base).map((path) => document(path, openidConfiguration)),
    answered('GET', '/oauth/authorize'),
    answered('GET', '/oauth/authorize/{uid}'),
    answered('POST', '/oauth/token'),
    answered('POST', '/oauth/register'),
    answered('POST', '/oauth/revoke'),
  ];
}

/** The path of a public address, as it stands in well-known documents: behind the name of the document (RFC 8414, RFC 9728). */
function basePath(baseUrl: string | null): string {
  return baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/** A document stands at its own path, and, where the public address has a path, behind that too. */
function placesOf(path: string, base: string, ends: readonly string[] = ['']): string[] {
  const all = ends.flatMap((end) => [path + end, `${path}${base}${end}`]);
  return [...new Set(all)];
}

const addressOf = ({ baseUrl, host }: OAuthParts, http: HttpContext): string => originFor({ baseUrl, host }, http.req);

function serveDocument(parts: OAuthParts, of: (issuer: string) => object): Handler {
  return (http) => {
    http.set('Cache-Control', 'public, max-age=300');
    http.set('Access-Control-Allow-Origin', '*');
    http.vary('Host');
    http.body = of(addressOf(parts, http));
  };
}

function protectedResource(issuer: string): object {
  return {
    resource: `${issuer}/mcp`,
    authorization_servers: [issuer],
    scopes_supported: agentScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Agent Payments',
  };
}

function authorizationServer(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: agentScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: false,
  };
}

/** The same under the name that older clients ask for, with what they look for in it. No identity tokens are issued. */
function openidConfiguration(issuer: string): object {
  return {
    ...authorizationServer(issuer),
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

/** Passes a request to the authorization server, and its answer to the client. */
function serveOAuth(parts: OAuthParts, method: 'GET' | 'POST'): Handler {
  return async (http) => {
    const body = method === 'POST' ? await readBytes(http.req, mostBytes) : Buffer.alloc(0);
    const {
      status,
      headers,
      body: answer,
    } = await parts.answer({
      issuer: addressOf(parts, http),
      method,
      path: http.path,
      query: new URLSearchParams(http.querystring),
      cookie: http.get('Cookie'),
      contentType: http.get('Content-Type'),
      accept: http.get('Accept'),
      body,
      ip: http.state.ip,
    });
    // A redirect leads to a program: no page of ours is shown by it.
    http.body = answer.length === 0 && status >= 300 && status < 400 ? null : answer;
    // Koa has set another one with the body.
    http.status = status;
    http.remove('Content-Type');
    for (const [name, value] of Object.entries(headers)) http.set(name, value as string);
  };
}
