// Clients of MCP, as its SDK has them: over HTTP, with one credential, hearing when their list of tools changes.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type CallToolResult,
  ListToolsResultSchema,
  type Tool,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../harness.js';

/** What tests ask of a client. */
export interface McpCalls {
  /** What it is offered. From then on answers are held to the output schemas. */
  list(): Promise<Tool[]>;
  names(): Promise<string[]>;
  /** The whole result of a call. */
  result(name: string, given?: object): Promise<CallToolResult>;
  /** The structured content of a call that must succeed. */
  call(name: string, given?: object): Promise<Json>;
  /** The body of the error of a call that must be refused. */
  refused(name: string, given?: object): Promise<Json>;
  /** A call that its client takes back when the signal says so. */
  cancellable(call: { name: string; arguments: Record<string, unknown> }, signal: AbortSignal): Promise<unknown>;
}

/** A client with a session. */
export interface McpClient extends McpCalls, AsyncDisposable {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** When it was told that its list is another one, in milliseconds of the process. */
  told: number[];
}

/** Connects to the listener at `url`. The stream is open when it returns. */
export async function connect(url: string, token: string): Promise<McpClient> {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const told: number[] = [];
  const opened = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      told.push(performance.now());
      resolve();
    });
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  await opened;
  const cancellable: McpCalls['cancellable'] = (call, signal) => client.callTool(call, undefined, { signal });
  return { ...callsOf(client), cancellable, client, transport, told, [Symbol.asyncDispose]: () => client.close() };
}

/** The same for a client that is connected in another way. */
export function callsOf(client: Client): Omit<McpCalls, 'cancellable'> {
  const list = async () => (await client.listTools()).tools;
  const result = (name: string, given: object = {}) =>
    client.callTool({ name, arguments: given as Record<string, unknown> }) as Promise<CallToolResult>;
  return {
    list,
    result,
    // Asked as a plain request: the client would compile every schema of the list.
    names: async () => (await client.request({ method: 'tools/list' }, ListToolsResultSchema)).tools.map(({ name }) => name),
    async call(name, given) {
      const { isError, content, structuredContent } = await result(name, given);
      if (isError) throw new Error(`${name} was refused: ${textOf(content)}`);
      return structuredContent;
    },
    async refused(name, given) {
      const { isError, content } = await result(name, given);
      if (!isError) throw new Error(`${name} was not refused: ${textOf(content)}`);
      return JSON.parse(textOf(content));
    },
  };
}

function textOf([first]: CallToolResult['content']): string {
  return first?.type === 'text' ? first.text : '';
}
