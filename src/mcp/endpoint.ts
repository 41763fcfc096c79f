// /mcp: MCP over streamable HTTP. A POST is one message and its answer; a GET is a stream that says when the list of tools is another one.
// The transports of the SDKs speak the protocol; sessions, limits and credentials are the platform's (decision 0042). A message that names its
// revision in itself has no session, and is answered by the package of that era (decision 0084).
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { admitStream } from '../http/open-stream.js';
import type { Endpoint } from '../http/router.js';
import type { Handler, HttpContext } from '../http/state.js';
import { bodyLimit } from '../platform/body-limit.js';
import type { Ctx } from '../platform/ctx.js';
import { readBody } from '../rest/body.js';
import { relay, spellingFor } from './answer.js';
import { callerOf, freshCtx, type McpParts, watchOf } from './caller.js';
import { challenge, refuseBeyondScope } from './challenge.js';
import { isModern, isModernName } from './era.js';
import { refuseOrigins } from './origin.js';
import { checkSession, keyOfCall, newSession } from './session.js';
import { answerModern } from './stateless.js';
import { ToolStream } from './tool-stream.js';
import { endWait, mayWait, noteWait } from './waiting.js';

const path = '/mcp';
const sessionHeader = 'Mcp-Session-Id';
const versionHeader = 'Mcp-Protocol-Version';

/** The endpoints of MCP. */
export function mcpEndpoints(parts: McpParts): Endpoint[] {
  const { baseUrl, platform } = parts;
  const { corsOrigins, host } = platform.config;
  const handlers = [challenge({ baseUrl, host }), refuseOrigins(baseUrl, corsOrigins), ...parts.guards];
  const speak: Handler = (http, next) => {
    http.state.spelling = spellingFor(isModernName(http.get(versionHeader)) ? undefined : null);
    return next();
  };
  return [
    { method: 'POST', path, speak, handlers: [...handlers, serveMessage(parts)] },
    { method: 'GET', path, speak, handlers: [...handlers, serveListening(parts)] },
  ];
}

/** The SDK is loaded by the first caller of MCP: a start does not wait for it. */
async function loadSdk() {
  const [{ createSpeaker }, { WebStandardStreamableHTTPServerTransport: Transport }] = await Promise.all([
    import('./speaker.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ]);
  return { createSpeaker, Transport };
}

/** A message of the session that its header names; initialize begins one. */
function serveMessage(parts: McpParts): Handler {
  const { catalog, identify } = parts;
  return async (http) => {
    const ctx = callerOf(http);
    const message = await readBody(http.req, bodyLimit);
    if (isModern(message, http.get(versionHeader))) return relay(http, await answerModern(parts, http, message, path));
    const { createSpeaker } = await loadSdk();
    refuseBeyondScope(catalog(), ctx, message);
    const isFirst = message['method'] === 'initialize';
    const session = isFirst ? newSession(ctx) : http.get(sessionHeader);
    if (!isFirst) checkSession(ctx, session);
    const keyOf = (id: string | number) => keyOfCall(session, id);
    const isStream = mayWait(catalog(), message);
    if (isStream) await admitStream(http.res, ctx, 'graphql');
    const left = new AbortController();
    if (isStream) noteWait(ctx.platform, left, keyOf(message['id'] as string | number));
    if (message['method'] === 'notifications/cancelled') endWait(ctx.platform, keyOf(cancelledIn(message)));
    const again = () => freshCtx(identify, http, ctx.actor);
    const server = createSpeaker({ catalog: catalog(), ctx, again, route: path, keyOf, left: left.signal });
    // The server is not closed with the response: a call that was closed is never answered, and its request would never end.
    http.res.once('close', () => left.abort());
    const response = await exchange(http, server, { method: 'POST', parsedBody: message, enableJsonResponse: !isStream });
    if (isFirst && response.ok) http.set(sessionHeader, session);
    await relay(http, response);
  };
}

/** The id of the call that a notification takes back. */
function cancelledIn({ params }: Record<string, unknown>): string | number {
  return ((params ?? {}) as { requestId?: string | number }).requestId ?? '';
}

/** The stream of an actor: it is closed by whoever is the first to have enough of it. */
function serveListening(parts: McpParts): Handler {
  const { catalog, identify } = parts;
  return async (http) => {
    const ctx = callerOf(http);
    const { createSpeaker } = await loadSdk();
    checkSession(ctx, http.get(sessionHeader));
    await admitStream(http.res, ctx, 'graphql');
    const again = () => freshCtx(identify, http, ctx.actor);
    const left = new AbortController().signal;
    const server = createSpeaker({ catalog: catalog(), ctx, again, route: path, keyOf: () => '', left });
    const response = await exchange(http, server, { method: 'GET' });
    if (!response.ok) return relay(http, response);
    const stream = new ToolStream({
      ...watchOf(parts, ctx, again),
      changed: () => server.sendToolListChanged(),
      end: () => void server.close(),
    });
    const leave = () => {
      stream.close();
      void server.close();
    };
    http.res.once('close', leave);
    // The client may have left while its credential was looked up.
    if (http.res.closed) leave();
    await relay(http, response);
  };
}

interface Exchange {
  method: 'GET' | 'POST';
  parsedBody?: unknown;
  enableJsonResponse?: boolean;
}

/** Hands a request to the transport, which keeps nothing for the next one, and gives back what it answers. */
async function exchange(http: HttpContext, server: Server, { method, parsedBody, enableJsonResponse = true }: Exchange): Promise<Response> {
  const keepAliveMs = (http.state.ctx as Ctx).platform.heartbeatMs;
  const { Transport } = await loadSdk();
  const transport = new Transport({ enableJsonResponse, keepAliveMs });
  await server.connect(transport);
  const names = ['Accept', 'Content-Type', versionHeader];
  const headers = names.flatMap((name): [string, string][] => (http.get(name) === '' ? [] : [[name, http.get(name)]]));
  return transport.handleRequest(new Request(`http://localhost${path}`, { method, headers }), { parsedBody });
}
