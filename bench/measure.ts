// How fast POST /v1/transfers is under a load, and what CPU a request takes.
import { type CpuSeconds, cpuSeconds } from './cpu.js';
import { sendLoad } from './http-load.js';
import { type Sandbox, testKey } from './platform.js';

/** What a request is sent as, again and again. */
export type Next = () => string;

/** A protocol to be measured beside transfers. */
export interface Series {
  name: string;
  /** The ratio to transfers that is aimed at. */
  aim: number;
  /** Makes everybody who takes part, and says what is sent. `seconds`: for how long, in all. */
  open(sandbox: Sandbox, seconds: number): Promise<{ ours: Next; transfers: Next }>;
}

export interface Result {
  /** Requests per second. */
  ours: number;
  /** CPU microseconds per request. */
  server: number;
  postgres: number;
  load: number;
}

/** Sends requests over so many connections for so many seconds. Fails when one of them does: `status` is the first digit of the others. */
export async function measure(url: URL, connections: number, seconds: number, next: Next, status = '2'): Promise<Result> {
  const before = await cpuSeconds(url);
  const load = await sendLoad(url, connections, seconds, next, status);
  const after = await cpuSeconds(url);
  if (load.failures > 0) throw new Error(`${load.failures} of ${load.requests} requests failed`);
  const micros = (part: keyof CpuSeconds) => ((after[part] - before[part]) * 1e6) / load.requests;
  return { ours: load.requests / load.seconds, server: micros('server'), postgres: micros('postgres'), load: micros('load') };
}

/** A whole HTTP request that creates a transfer. */
export function transferRequest(url: URL, body: string, key: string | undefined): string {
  return postRequest(url, '/v1/transfers', body, key);
}

/** A whole HTTP request that posts a body. */
export function postRequest(
  url: URL,
  path: string,
  body: string,
  key: string | undefined,
  more: Readonly<Record<string, string>> = {},
): string {
  const named = { ...more, ...(key !== undefined && { 'Idempotency-Key': key }) };
  const keyHeader = Object.entries(named)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const head = `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${testKey}\r\n`;
  return `${head}Content-Type: application/json\r\n${keyHeader}Content-Length: ${body.length}\r\n\r\n${body}`;
}
