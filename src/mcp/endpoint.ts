// /mcp: MCP over streamable HTTP. A POST is one message and its answer; a GET is a stream that says when the list of tools is another one.
// The transport of the SDK speaks the protocol; sessions, limits and credentials are the platform's (decision 0042).
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Identify } from '../http/authenticate.js';
import { chunksOf, sendStream } from '../http/event-stream.js';
import { admitStream } from '../http/open-stream.js';
import type { Endpoint } from '../http/router.js';
import type { Handler, HttpContext } from '../http/state.js';
import { bodyLimit } from '../platform/body-limit.js';
import { tagsOf } from '../platform/credential.js';
import type { Actor, Ctx, Platform, Workspace } from '../platform/ctx.js';
import type { Spelling } from '../platform/door.js';
import type { ApiError } from '../platform/errors.js';
import { createCtx } from '../platform/request.js';
import { authorize } from '../platform/schema/audience.js';
import { readBody } from '../rest/body.js';
import type { Catalog } from './catalog.js';
import { offeredTools } from './offer.js';
import { refuseOrigins } from './origin.js';
import { checkSession, keyOfCall, newSession } from './session.js';
import { ToolStream } from './tool-stream.js';
import { endWait, mayWait, noteWait } from './waiting.js';

const path = '/mcp';
const sessionHeader = 'Mcp-Session-Id';

export interface McpParts {
  platform: Platform;
  catalog: () => Catalog;
  /** The public address of this listener; null: none is configured. */
  baseUrl: string | null;
  identify: Identify;
  /** What a request passes before it is read, in order. */
  guards: readonly Handler[];
  /** The cache tags that are dropped when what an agent may spend has changed. */
  spendableTags: (workspace: Workspace, agentId: string) => string[];
}

/** The endpoints of MCP. */
export function mcpEndpoints(parts: McpParts): Endpoint[] {
  const handlers = [refuseOrigins(parts.baseUrl, parts.platform.config.corsOrigins), ...parts.guards];
  const speak: Handler = (http, next) => {
    http.state.spelling = spellMcp;
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
function serveMessage({ platform, catalog, identify }: McpParts): Handler {
  return async (http) => {
    const ctx = callerOf(http);
    const { createSpeaker } = await loadSdk();
    const message = await readBody(http.req, bodyLimit);
    const isFirst = message['method'] === 'initialize';
    const session = isFirst ? newSession(ctx) : http.get(sessionHeader);
    if (!isFirst) checkSession(ctx, session);
    const keyOf = (id: string | number) => keyOfCall(session, id);
    const isStream = mayWait(catalog(), message);
    if (isStream) await admitStream(http.res, ctx, 'graphql');
    const left = new AbortController();
    if (isStream) noteWait(platform, left, keyOf(message['id'] as string | number));
    if (message['method'] === 'notifications/cancelled') endWait(platform, keyOf(cancelledIn(message)));
    const again = () => freshCtx(platform, identify, http, ctx.actor);
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
function serveListening({ platform, catalog, identify, spendableTags }: McpParts): Handler {
  return async (http) => {
    const ctx = callerOf(http);
    const { createSpeaker } = await loadSdk();
    checkSession(ctx, http.get(sessionHeader));
    await admitStream(http.res, ctx, 'graphql');
    const { actor, workspace } = ctx;
    const again = () => freshCtx(platform, identify, http, actor);
    const left = new AbortController().signal;
    const server = createSpeaker({ catalog: catalog(), ctx, again, route: path, keyOf: () => '', left });
    const response = await exchange(http, server, { method: 'GET' });
    if (!response.ok) return relay(http, response);
    const agentId = actor.agent?.id;
    const stream = new ToolStream({
      platform,
      agentId,
      tags: [...tagsOf(actor), ...(agentId === undefined ? [] : spendableTags(workspace, agentId))],
      look: async () => namesOf(catalog(), await again()),
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

/** Who asks: everybody with a credential but portal tokens, which read what their scopes name. */
function callerOf({ state }: HttpContext): Ctx {
  const ctx = state.ctx as Ctx;
  authorize(ctx.actor, 'any');
  return ctx;
}

/**
 * The ctx of a look at a stream, and of a call that waits: the credential is asked again, and stands for the same actor as long as it is
 * good.
 */
async function freshCtx(platform: Platform, identify: Identify, http: HttpContext, { type, id }: Actor): Promise<Ctx> {
  const identity = await identify(http.req.headers.authorization, http.state);
  if (identity.actor.type !== type || identity.actor.id !== id) throw new Error('a credential stands for somebody else');
  return createCtx(platform, identity, { requestId: http.state.requestId, ip: http.state.ip });
}

async function namesOf(catalog: Catalog, ctx: Ctx): Promise<string> {
  return (await offeredTools(catalog, ctx)).map(({ tool }) => tool.name).join(' ');
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
  const names = ['Accept', 'Content-Type', 'Mcp-Protocol-Version'];
  const headers = names.flatMap((name): [string, string][] => (http.get(name) === '' ? [] : [[name, http.get(name)]]));
  return transport.handleRequest(new Request(`http://localhost${path}`, { method, headers }), { parsedBody });
}

/** Answers with what the transport answers: a stream, JSON or nothing. */
async function relay(http: HttpContext, response: Response): Promise<void> {
  if (response.body !== null && response.headers.get('Content-Type') === 'text/event-stream') {
    sendStream(http, chunksOf(response.body));
    // The first event may be long in coming.
    return http.flushHeaders();
  }
  const text = await response.text();
  http.body = text === '' ? null : text;
  http.status = response.status;
  if (text !== '') http.set('Content-Type', 'application/json; charset=utf-8');
}

const parseError = -32_700;
const invalidRequest = -32_600;
const internalError = -32_603;
const sessionNotFound = -32_001;
const refused = -32_000;

function numberOf({ status, code }: ApiError): number {
  if (code === 'invalid_json') return parseError;
  if (status >= 500) return internalError;
  return { 400: invalidRequest, 404: sessionNotFound }[status] ?? refused;
}

/** Failures before a message is understood, as JSON-RPC spells them. */
const spellMcp: Spelling = (error, { requestId }) => {
  const { status, code, message, details, fields } = error;
  const issues = fields?.map(({ path: place, ...issue }) => ({ path: place.join('.'), ...issue }));
  const data = { code, details: { ...details, ...(issues && { fields: issues }) }, request_id: requestId };
  return { status, body: { jsonrpc: '2.0', id: null, error: { code: numberOf(error), message, data } } };
};
