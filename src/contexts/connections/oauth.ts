// A request of /oauth, answered by the library: with what we take of it and no more, under the address that the listener is known by. What
// the library answers is handed back whole, so that it leaves as every other answer does.
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { withRead } from '../../platform/agent-scope.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { networkAround } from '../../platform/network.js';
import type { OAuthAnswer, OAuthRequest } from '../../platform/oauth.js';
import { authorizationServer, resumeCookie, routes } from './authorization-server.js';
import type { LibraryCtx } from './library.js';
import { clientMetadata } from './registration.js';

/** A request of one of the two listeners. */
type ListenerRequest = OAuthRequest & { environment: Environment };

/** What is taken of an authorization request. Without `openid` the rest says nothing to us. */
const taken = ['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method', 'resource', 'prompt'];

/** Answers a request of /oauth. */
export async function answerOAuth(platform: Platform, request: ListenerRequest): Promise<OAuthAnswer> {
  if (request.path !== routes.registration) return ask(platform, request);
  const metadata = clientMetadata(request.body);
  if ('error' in metadata) return jsonAnswer(400, metadata);
  const body = Buffer.from(JSON.stringify(metadata));
  return ask(platform, { ...request, body, contentType: 'application/json' });
}

function jsonAnswer(status: number, body: object): OAuthAnswer {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: Buffer.from(JSON.stringify(body)) };
}

async function ask(platform: Platform, request: ListenerRequest): Promise<OAuthAnswer> {
  const provider = await authorizationServer(platform, request.environment, request.issuer);
  const message = messageOf(request);
  const { response, answer } = captured(message);
  provider.callback()(message, response);
  const { status, headers, body } = await answer;
  if (message.failure !== undefined) throw message.failure;
  return { status, headers: { ...headers, ...(status === 429 && { 'Retry-After': '3600' }) }, body };
}

// Gap G-486: Of an authorization request only what a code with PKCE needs is taken; without `scope` it asks for both.
/** The query of an authorization request, as the library gets it. */
function queryOf({ path, query }: OAuthRequest): string {
  if (path !== routes.authorization) return '';
  const kept = [...query].filter(([name]) => taken.includes(name));
  const asked = withRead((query.get('scope') ?? '').split(' '));
  const scope = query.has('scope') ? (asked.length > 0 ? asked : ['agent:read']) : ['agent:read', 'agent:act'];
  return `?${new URLSearchParams([...kept, ['scope', scope.join(' ')]])}`;
}

/** The request as the library reads it: its address is that of the issuer, and of its cookies there is the one that is asked for. */
function messageOf(request: ListenerRequest): LibraryCtx['req'] {
  const { issuer, method, path, cookie, contentType, accept, body, ip } = request;
  const { protocol, host, pathname } = new URL(issuer);
  const url = path + queryOf(request);
  const cookies = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(resumeCookie));
  const headers: Record<string, string> = {
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    accept: accept || '*/*',
    ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
    ...(method === 'POST' && { 'content-type': contentType, 'content-length': String(body.length) }),
  };
  const message = Readable.from(body.length > 0 ? [body] : []) as unknown as IncomingMessage;
  const caller = { address: ip, network: networkAround(ip) };
  const socket = new Socket();
  return Object.assign(message, {
    method,
    url,
    originalUrl: `${pathname === '/' ? '' : pathname}${url}`,
    headers,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    socket,
    connection: socket,
    caller,
  });
}

/** Cookies of the library that bind nothing: no session is kept. */
const dropped = /^ap_oauth_(?:session|interaction)(?:\.sig)?=/;

/** A response that is written nowhere, and what was written to it. */
function captured(message: IncomingMessage): { response: ServerResponse; answer: Promise<OAuthAnswer> } {
  const response = new ServerResponse(message);
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const answer = new Promise<OAuthAnswer>((resolve) => {
    response.write = ((chunk: unknown) => {
      keep(chunk);
      return true;
    }) as ServerResponse['write'];
    response.end = ((chunk?: unknown) => {
      keep(chunk);
      const headers: Record<string, string | string[]> = {};
      for (const [name, value] of Object.entries(response.getHeaders())) {
        if (value === undefined || name === 'content-length') continue;
        const all = Array.isArray(value) ? value.filter((one) => !dropped.test(one)) : String(value);
        if (typeof all === 'string' ? !dropped.test(all) : all.length > 0) headers[name] = all;
      }
      resolve({ status: response.statusCode, headers, body: Buffer.concat(chunks) });
      return response;
    }) as ServerResponse['end'];
  });
  return { response, answer };
}
