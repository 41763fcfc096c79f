// The client of the second generation of the SDK, which speaks either era, as its `mode` says.
import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { callsOf, type McpCalls } from './client.js';

/** How a client finds out which revision it speaks. */
export type Mode = 'legacy' | 'auto' | { pin: string };

export interface NextClient extends McpCalls, AsyncDisposable {
  client: Client;
  /** When it was told that its list is another one, in milliseconds of the process. */
  told: number[];
}

/** Connects to the listener at `url`. It hears of changes when it returns. A call that needs a key and has none gets one. */
export async function connectNext(url: string, token: string, mode: Mode): Promise<NextClient> {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const told: number[] = [];
  const opened = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told.push(performance.now());
      resolve();
    });
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  if (client.getNegotiatedProtocolVersion() === '2026-07-28') await client.listen({ toolsListChanged: true });
  await opened;
  const { tools } = await client.listTools();
  const keyed = tools.filter(({ inputSchema }) => inputSchema.required?.includes('idempotency_key')).map(({ name }) => name);
  const calling = {
    listTools: () => client.listTools(undefined, { cacheMode: 'refresh' }),
    callTool: ({ name, arguments: given }: { name: string; arguments: object }) =>
      client.callTool({ name, arguments: { ...(keyed.includes(name) && { idempotency_key: randomUUID() }), ...given } }),
    request: () => client.listTools(undefined, { cacheMode: 'refresh' }),
  };
  const cancellable: McpCalls['cancellable'] = (call, signal) => client.callTool(call, { signal });
  return { ...callsOf(calling as never), cancellable, client, told, [Symbol.asyncDispose]: () => client.close() };
}
