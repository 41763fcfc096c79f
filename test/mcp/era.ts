// The two eras of MCP, for tests that run in both: a client of each, and calls that are written by hand.
import { randomUUID } from 'node:crypto';
import { type Reply, send } from '../contexts/connections/program.js';
import { connect, type McpCalls } from './client.js';
import { envelope, headersOf } from './modern.js';
import { connectNext } from './next-client.js';

/** A client of either era. */
export type Connected = McpCalls & AsyncDisposable & { told: number[] };

export const eras: [string, (url: string, token: string) => Promise<Connected>][] = [
  ['with a session', connect],
  ['2026-07-28', (url, token) => connectNext(url, token, { pin: '2026-07-28' })],
];

/** Calls a tool as one message; what comes is not looked at. */
export type RawCall = (name: string, given: object) => Promise<Reply>;

/** Calls tools without a client of the SDK in between, many at once: in one session, or without any. Where a call has to have a key, it gets one. */
export async function rawCaller(era: string, url: string, token: string): Promise<RawCall> {
  const isModern = era === '2026-07-28';
  const session: Record<string, string> = isModern ? {} : { 'Mcp-Session-Id': await sessionOf(url, token) };
  let id = 0;
  return (name, given) => {
    id += 1;
    const params = isModern
      ? { _meta: envelope, name, arguments: { idempotency_key: randomUUID(), ...given } }
      : { name, arguments: given };
    return post(url, token, { jsonrpc: '2.0', id, method: 'tools/call', params }, session);
  };
}

async function sessionOf(url: string, token: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const reply = await post(url, token, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return String(reply.headers['mcp-session-id']);
}

interface RpcCall {
  jsonrpc: '2.0';
  id: number;
  method: string;
  params: object;
}

function post(url: string, token: string, message: RpcCall, headers: Record<string, string> = {}): Promise<Reply> {
  const isModern = '_meta' in message.params;
  const own = { ...headersOf(isModern ? message : {}), Authorization: `Bearer ${token}`, ...headers };
  return send(`${url}/mcp`, { method: 'POST', headers: own, body: JSON.stringify(message) });
}
