// Agents as their own programs see themselves: made by the tenant, signing with a library that is not ours.

import nacl from 'tweetnacl';
import { expect } from 'vitest';
import type { Platform } from '../../../src/platform/ctx.js';
import type { Answer, Client, Json } from '../../harness.js';

export interface TestAgent {
  /** As the platform prints it. */
  agent: Json;
  id: string;
  uuid: string;
  token: string;
  /** Base64 of the NaCl secret key; empty without a key pair. */
  privateKey: string;
  keyId: string;
  account: Json;
}

/** An agent with a key pair, of a new account unless one is given. */
export async function enrol(client: Client, extra: object = {}): Promise<TestAgent> {
  const { parent_account_id, ...rest } = extra as { parent_account_id?: string };
  const account =
    parent_account_id === undefined ? await client.make('/v1/accounts', { type: 'business', name: 'Ada' }) : { id: parent_account_id };
  const answer = await client.post('/v1/agents', { parent_account_id: account.id, name: 'Agent', generate_keypair: true, ...rest });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const { data: agent, credentials, authKey } = answer.body;
  return {
    agent,
    id: agent.id,
    uuid: agent.id.slice('agt_'.length),
    token: credentials.token,
    privateKey: authKey?.privateKey ?? '',
    keyId: authKey?.keyId ?? '',
    account,
  };
}

/** Strict base64 signature of a text by a NaCl secret key. */
export function sign(text: string, privateKey: string): string {
  return Buffer.from(nacl.sign.detached(Buffer.from(text), Buffer.from(privateKey, 'base64'))).toString('base64');
}

/** A new challenge of an agent. */
export async function challengeOf(client: Client, id: string): Promise<string> {
  const answer = await client.post(`/v1/agents/${id}/challenge`, undefined, { as: null });
  expect(answer.status).toBe(200);
  return answer.body.challenge;
}

/** Signs in; the answer as it came. */
export async function authenticate(client: Client, id: string, privateKey: string): Promise<Answer> {
  const challenge = await challengeOf(client, id);
  return client.post(`/v1/agents/${id}/authenticate`, { challenge, signature: sign(challenge, privateKey) }, { as: null });
}

/** Signs in; the session token. */
export async function signIn(client: Client, { id, privateKey }: Pick<TestAgent, 'id' | 'privateKey'>): Promise<string> {
  const answer = await authenticate(client, id, privateKey);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.sessionToken;
}

/** How many queries a piece of work sends through the pool, where everything outside of transactions goes. */
export async function countQueries({ database: { pool } }: Platform, work: () => Promise<void>): Promise<number> {
  const query = pool.query;
  let count = 0;
  pool.query = ((...args: Parameters<typeof query>) => {
    count += 1;
    return query.apply(pool, args);
  }) as typeof query;
  try {
    await work();
  } finally {
    pool.query = query;
  }
  return count;
}
