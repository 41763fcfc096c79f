// Messages of the revision of 2026-07-28, written by hand: what tests need to get them wrong on purpose.
import type { Json } from '../harness.js';
import { checkMessage } from './message-schema.js';

/** What every request says of itself. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

export interface Sent {
  token?: string | null;
  /** Instead of, or beside, those that the message needs; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
}

/** The headers that a message needs; those that every message needs where it has no method. */
export function headersOf({ method, params }: Json): Record<string, string> {
  const name = params?.name ?? params?.uri;
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(method !== undefined && { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': String(method) }),
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
  };
}

/** Sends a message, as it is. */
export async function open(url: string, token: string | null, message: Json, { headers = {} }: Sent = {}, signal?: AbortSignal) {
  const all = { ...(token !== null && { Authorization: `Bearer ${token}` }), ...headersOf(message), ...headers };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return fetch(`${url}/mcp`, { method: 'POST', headers: given, body: JSON.stringify(message), signal: signal ?? null });
}

/** Sends a message whose answer is JSON. */
export async function post(url: string, token: string | null, message: Json, sent: Sent = {}) {
  const response = await open(url, sent.token === undefined ? token : sent.token, message, sent);
  const text = await response.text();
  if (text !== '') checkMessage(String(message?.method), JSON.parse(text));
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : (JSON.parse(text) as Json), text };
}

/** The messages of a stream, one by one, each held to the schema. */
export async function* messagesOf(response: Response, asked: string): AsyncGenerator<Json> {
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) throw new Error(`no stream: ${await response.text()}`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() as string;
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data === undefined) continue;
      const message = JSON.parse(data.slice(6));
      checkMessage(asked, message);
      yield message;
    }
  }
}
