// A2A by JSON-RPC as tests speak it.
import type { TestAgent } from '../contexts/agents/identity.js';
import type { Answer, Client, Json } from '../harness.js';

let sequence = 0;

/** A message of A2A 1.0 with an id of its own. */
export function textMessage(text: string, more: Json = {}): Json {
  sequence += 1;
  return { messageId: `text-${sequence}`, role: 'ROLE_USER', parts: [{ text }], ...more };
}

export interface CallOptions {
  as?: string | null;
  version?: string;
}

/** Calls a method at the endpoint of an agent; the answer as it came. */
export function callAgent(
  client: Client,
  agent: Pick<TestAgent, 'id'>,
  method: string,
  params: unknown,
  { as, version }: CallOptions = {},
): Promise<Answer> {
  sequence += 1;
  return client.post(
    `/a2a/${agent.id}`,
    { jsonrpc: '2.0', id: sequence, method, params },
    { ...(as !== undefined && { as }), headers: version === undefined ? {} : { 'A2A-Version': version } },
  );
}

/** The result of a call that must succeed. */
export async function resultOf(client: Client, agent: Pick<TestAgent, 'id'>, method: string, params: unknown, options: CallOptions = {}) {
  const { status, body } = await callAgent(client, agent, method, params, options);
  if (status !== 200 || body.error !== undefined) throw new Error(JSON.stringify(body));
  return body.result as Json;
}

/** Gives an agent a task by a text; the task. */
export async function sendText(client: Client, agent: Pick<TestAgent, 'id'>, as: string, more: Json = {}): Promise<Json> {
  return (await resultOf(client, agent, 'SendMessage', { message: textMessage('Guten Tag', more) }, { as })).task;
}
