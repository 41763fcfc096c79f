// A route that is sold by x402, for whoever serves requests of the web: it says what a call costs until it is paid, and serves it then, once.
// What was answered becomes part of what proves the payment.
import type { Client } from './client.js';
import { ApiError, asRecord } from './error.js';

export interface Sale {
  /** The endpoint of the platform that says what a call costs, and whose wallet is paid. */
  endpointId: string;
}

/** Serves a call. `payment` is what was paid for it. */
export type Serve = (request: Request, payment: { id: string }) => Promise<Response> | Response;

/**
 * Makes a route of `serve` that is paid call by call, with the credential of the seller. A call that is served well uses its payment up, and the
 * SHA-256 of the answer is what was delivered for it (`response_sha256`): so an answer is sent when it is whole. A call that fails is paid still,
 * and may be sent again with the same proof. `serve` runs before its payment is used up: of two processes that get one proof at once both
 * may run it, and one answers.
 */
export function paid(client: Client, { endpointId }: Sale, serve: Serve): (request: Request) => Promise<Response> {
  const serving = new Set<string>();

  async function answer(request: Request): Promise<Response> {
    const proof = proofIn(request.headers.get('PAYMENT-SIGNATURE'));
    const id = proof === undefined ? undefined : await paymentOf(client, endpointId, proof);
    if (id === undefined || serving.has(id)) return demandOf(client, endpointId);
    serving.add(id);
    try {
      return await deliver(await serve(request, { id }), id);
    } finally {
      serving.delete(id);
    }
  }

  async function deliver(served: Response, id: string): Promise<Response> {
    if (!served.ok) return served;
    const { status, statusText, headers } = served;
    const bytes = await served.arrayBuffer();
    const body = { response_sha256: await sha256(bytes) };
    try {
      await client.POST('/v1/x402/payments/{id}/consume', { params: { path: { id } }, body });
    } catch (error) {
      // Used up by another process at the same moment, expired, or refunded.
      if (error instanceof ApiError && error.status === 409) return demandOf(client, endpointId);
      throw error;
    }
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
  }

  return answer;
}

/** The payment that a proof is good for. Anybody can send anything. */
async function paymentOf(client: Client, endpointId: string, proof: string): Promise<string | undefined> {
  try {
    const { data } = await client.POST('/v1/x402/verify', { body: { proof, endpoint_id: endpointId } });
    return data.valid ? data.payment_id : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

/** The 402 of the platform, which says what a call costs. */
async function demandOf(client: Client, endpointId: string): Promise<Response> {
  const challenge = await client.fetch(`/v1/x402/endpoints/${encodeURIComponent(endpointId)}/challenge`);
  const headers = new Headers({ 'Cache-Control': 'no-store' });
  for (const name of ['Content-Type', 'PAYMENT-REQUIRED']) {
    const value = challenge.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(await challenge.arrayBuffer(), { status: challenge.status, headers });
}

/** The proof in the header that `payingFetch` sends. */
function proofIn(header: string | null): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(header ?? ''), (character) => character.charCodeAt(0));
    const { proof } = asRecord(asRecord(JSON.parse(new TextDecoder().decode(bytes)))['payload']);
    return typeof proof === 'string' ? proof : undefined;
  } catch {
    return undefined;
  }
}

async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
