// What several tests of identity do.
import { expect } from 'vitest';
import type { Answer, Client, Json } from '../../harness.js';

/** A JWT of the client's key, or of `key`. */
export async function signIn(client: Client, key = client.key): Promise<string> {
  return (await client.make('/v1/auth/session', { api_key: key }, { as: null })).token;
}

export function issueKey(client: Client, body: object = {}): Promise<Json> {
  return client.make('/v1/api-keys', { name: 'Shop', ...body });
}

/** The answer refuses the credential: code, and the challenge that RFC 6750 asks for. */
export function expectRefused(answer: Answer, code: string): void {
  expect(answer).toMatchObject({ status: 401, body: { code, error: expect.any(String), request_id: expect.any(String) } });
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
}

/** The answer without what differs from one request to the next. */
export function sameBody({ status, body }: Answer): object {
  return { status, body: { ...body, request_id: undefined } };
}
