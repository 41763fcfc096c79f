// Sending again what was not answered, or answered with 503, under the same key: as a client does while servers and databases are killed.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type CallOptions, Client } from '../harness.js';

/** Longer than any restart may take. */
const patienceMs = 60_000;
const againMs = 50;

/** Undici names the reason itself, fetch in what caused its error. */
function isLost(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const reason = code ?? cause?.code;
  return (typeof reason === 'string' && !reason.startsWith('ERR_')) || (error instanceof TypeError && cause !== undefined);
}

/** Away, or at work on the first try still. */
const isAgain = ({ status, body }: { status: number; body: { code?: string } }) =>
  status === 503 || (status === 409 && body.code === 'idempotency_in_flight');

/** Sends until there is an answer that stands. */
export async function patiently<T extends { status: number; body: { code?: string } }>(send: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const answer = await send().catch((error: unknown) => {
      if (!isLost(error) || performance.now() > until) throw error;
    });
    if (answer !== undefined && (!isAgain(answer) || performance.now() > until)) return answer;
    await pause(againMs);
  }
}

/** A client that sends everything under a key, until it is answered. */
export class PatientClient extends Client {
  override call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const headers = method === 'GET' ? options.headers : { 'Idempotency-Key': randomUUID(), ...options.headers };
    return patiently(() => super.call(method, path, { ...options, ...(headers && { headers }) }));
  }
}
