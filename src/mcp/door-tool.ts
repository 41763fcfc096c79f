// Doors of a protocol as tools of MCP: what a tool is given stands for path, headers and body of the request that its door takes. Nobody has to
// begin a session, and who asks is asked by each door (docs/protocols.md "UCP").
import type { Endpoint } from '../http/router.js';
import type { Handler, HttpContext } from '../http/state.js';
import { bodyLimit } from '../platform/body-limit.js';
import type { Ctx } from '../platform/ctx.js';
import type { DoorRequest, GuardedDoor, Spelling } from '../platform/door.js';
import { ApiError, ValidationFailed } from '../platform/errors.js';
import { parseBody, readRaw } from '../rest/body.js';
import { type Asked, type AskParts, askDoor } from '../rest/door.js';
import { type Message, readMessage, revisionFor, spellFor, UnknownMethod } from './door-rpc.js';
import { serverInfo } from './self.js';

/** A tool, and the door that it asks. */
export interface DoorTool {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a door's schema reads is the door's own business
  door: GuardedDoor<any, any>;
  /** The argument that stands for the body; absent where there is none. */
  body?: string;
  needsKey?: true;
}

export interface ToolBinding extends AskParts {
  path: string;
  tools: readonly DoorTool[];
  /** What is listed for whoever asks; `agent`: the profile that the message names. */
  list: (ctx: Ctx, agent: string | undefined) => Promise<readonly object[]>;
  /** How the protocol spells failures. */
  spell: Spelling;
  /** What a request passes before it is read. */
  guards: readonly Handler[];
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The endpoint of the tools. */
export function toolEndpoint(binding: ToolBinding): Endpoint {
  const { path, spell, guards } = binding;
  const speak: Handler = (http, next) => {
    http.state.spelling = spellFor(undefined, spell);
    return next();
  };
  return { method: 'POST', path, speak, handlers: [...guards, serveTools(binding)] };
}

function serveTools(binding: ToolBinding): Handler {
  return async (http) => {
    const raw = await readRaw(http.req, bodyLimit);
    const message = readMessage(parseBody(raw), (name) => http.get(name));
    http.state.spelling = spellFor(message.id, binding.spell);
    const result = await answer(binding, http, message, raw);
    if (message.id === undefined) {
      http.body = null;
      http.status = 202;
      return;
    }
    const said = message.isModern
      ? { resultType: 'complete', ...result, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }
      : result;
    http.set('Content-Type', 'application/json; charset=utf-8');
    http.body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: said });
    const sealed = await toolOf(binding, message)?.door.seal?.(http.state.ctx as Ctx, http.status, http.body);
    for (const [name, value] of Object.entries(sealed ?? {})) http.set(name, value);
  };
}

/** The tool that a message calls. */
const toolOf = ({ tools }: ToolBinding, { method, params }: Pick<Message, 'method' | 'params'>): DoorTool | undefined =>
  method === 'tools/call' ? tools.find(({ name }) => name === params['name']) : undefined;

/** What a list says of how long it may be kept, and by whom. */
const hints = { ttlMs: 3_600_000, cacheScope: 'public' };

async function answer(binding: ToolBinding, http: HttpContext, { method, params, isModern, id }: Message, raw: Buffer): Promise<object> {
  const ofSessions = !isModern;
  if (id === undefined && method.startsWith('notifications/')) return {};
  if (method === 'tools/list') {
    const tools = await binding.list(http.state.ctx as Ctx, agentIn(params));
    return { tools, ...(isModern && hints) };
  }
  if (method === 'tools/call') return call(binding, http, { method, params }, raw);
  if (method === 'server/discover' && isModern) return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...hints };
  if (method === 'initialize' && ofSessions)
    return { protocolVersion: revisionFor(params['protocolVersion']), capabilities: { tools: {} }, serverInfo };
  if (method === 'ping' && ofSessions) return {};
  throw new UnknownMethod(`There is no method ${method.slice(0, 64)} here.`);
}

/** The arguments of a message. */
const argumentsOf = ({ arguments: given }: Members): Members => (isObject(given) ? given : {});

/** The profile that a message names, wherever it does. */
function agentIn(params: Members): string | undefined {
  for (const { meta } of [argumentsOf(params), params]) {
    const agent = isObject(meta) ? meta['ucp-agent'] : undefined;
    if (isObject(agent) && typeof agent['profile'] === 'string') return agent['profile'];
  }
  return undefined;
}

/** Asks the door of a tool, under the key that the message brings. */
async function call(binding: ToolBinding, http: HttpContext, message: Pick<Message, 'method' | 'params'>, raw: Buffer): Promise<object> {
  const { params } = message;
  const tool = toolOf(binding, message);
  if (tool === undefined) throw new ValidationFailed([{ path: ['name'], message: 'is the name of no tool', rule: 'tool' }]);
  const { meta, id, ...rest } = argumentsOf(params);
  const key = isObject(meta) ? meta['idempotency-key'] : undefined;
  if (key !== undefined && typeof key !== 'string')
    throw new ValidationFailed([{ path: ['meta', 'idempotency-key'], message: 'must be a text' }]);
  if (key === undefined && tool.needsKey)
    throw new ValidationFailed([{ path: ['meta', 'idempotency-key'], message: 'is required', rule: 'required' }]);
  if (id !== undefined && typeof id !== 'string') throw new ValidationFailed([{ path: ['id'], message: 'must be a text' }]);
  const needsId = tool.door.path.includes('/{id}');
  if (needsId && (id === undefined || id === '')) throw new ValidationFailed([{ path: ['id'], message: 'is required', rule: 'required' }]);
  const agent = agentIn(params);
  const headers: Readonly<Record<string, string>> = {
    ...(agent !== undefined && { 'ucp-agent': `profile=${JSON.stringify(agent)}` }),
    'idempotency-key': key ?? '',
  };
  const asked: Asked = {
    params: { ...http.params, ...(needsId && { id: id as string }) },
    query: {},
    header: (name) => headers[name.toLowerCase()] ?? http.get(name),
    content: tool.body === undefined ? {} : rest[tool.body],
    raw,
    carrier: { header: (name) => http.get(name) } satisfies DoorRequest['carrier'],
    hasKey: key !== undefined,
  };
  const { body, replayed } = await askedOf(binding, http, tool, asked);
  if (replayed) http.set('Idempotent-Replayed', 'true');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { content: [{ type: 'text', text }], structuredContent: typeof body === 'string' ? JSON.parse(body) : body };
}

/** What the door answers; a refusal that the protocol answers as a success is one here too. */
async function askedOf(
  binding: ToolBinding,
  http: HttpContext,
  { door }: DoorTool,
  asked: Asked,
): Promise<{ body: unknown; replayed?: true }> {
  try {
    return await askDoor(door, http, asked, binding);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, body } = binding.spell(error, { requestId: http.state.requestId });
    if (status >= 300) throw error;
    return { body };
  }
}
