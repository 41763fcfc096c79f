// The server of MCP for the revisions without sessions, as the package of that era has it: made for one message, or one stream. The package
// checks what a message says of itself against its headers before anything is asked of the platform.
import { createMcpHandler, Server, type ServerEventBus } from '@modelcontextprotocol/server';
import { idOf } from './era.js';
import { capabilities, instructions, serverInfo } from './self.js';
import { callTool, listTools, RpcFault, type Speaking } from './tool-call.js';

// Gap G-621: What a modern server says of itself may be kept for an hour by anybody; a list of tools for 5 s by who asked.
const cacheHints = {
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
  'tools/list': { ttlMs: 5_000, cacheScope: 'private' },
} as const;

const invalidParams = -32_602;

export interface Exchange {
  speaking: Speaking;
  message: Record<string, unknown>;
  /** What the request says in its headers. */
  headers: [string, string][];
  /** Aborted when the client has gone. */
  gone: AbortSignal;
  keepAliveMs: number;
  /** Answers with a stream, whatever the answer is. */
  isStream: boolean;
  /** Called once the message is known to be well formed. What it throws is thrown. */
  admit: () => Promise<void>;
  /** Begins to watch the list of tools; gives back what ends the watch. `end` ends the stream in order. */
  watch: (changed: () => void, end: () => void) => () => void;
}

/** Answers a message of the modern era. */
export async function exchangeModern(exchange: Exchange): Promise<Response> {
  const { speaking, message, headers, gone, keepAliveMs, isStream, admit, watch } = exchange;
  let refused: { error: unknown } | undefined;
  const bus: ServerEventBus = {
    publish: () => {},
    subscribe: (listener) =>
      watch(
        () => listener({ kind: 'tools_list_changed' }),
        () => void handler.close(),
      ),
  };
  const create = async () => {
    await admit().catch((error: unknown) => {
      refused = { error };
      throw error;
    });
    return createServer(speaking);
  };
  const responseMode = isStream ? 'sse' : 'auto';
  const handler = createMcpHandler(create, { legacy: 'reject', bus, keepAliveMs, responseMode });
  const request = new Request(`http://localhost${speaking.route}`, { method: 'POST', headers, signal: gone });
  const { fetch: answer } = handler;
  const response = await answer(request, { parsedBody: message });
  if (refused !== undefined) throw refused.error;
  return response.status === 400 && idOf(message) === undefined ? withoutId(response) : response;
}

/** The package repeats an id that is none as null, which the schema of this revision does not have. */
async function withoutId(response: Response): Promise<Response> {
  const { id: _, ...body } = (await response.json()) as { id: unknown };
  return Response.json(body, { status: response.status });
}

function createServer(speaking: Speaking): Server {
  const verify = () => {
    throw new RpcFault(invalidParams, 'No request was given a requestState.');
  };
  const server = new Server(serverInfo, { capabilities, instructions, cacheHints, requestState: { verify } });
  server.setRequestHandler('tools/list', async () => ({ tools: await listTools(speaking) }) as never);
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => (await callTool(speaking, params, mcpReq.id)) as never);
  return server;
}
