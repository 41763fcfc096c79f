// Emits a test event in the sandbox.
import { sendJson } from '../platform/outbound/client.js';
import { type Refusal, refusalText } from './refusal.js';

export interface TriggerOptions {
  /** The sandbox listener. */
  url: string;
  key: string;
  type: string;
  /** Members that replace those of the example. */
  data?: Record<string, unknown> | undefined;
  objectId?: string | undefined;
}

/** The event that was emitted. Throws with what the platform says when it refuses. */
export async function trigger({ url, key, type, data, objectId }: TriggerOptions): Promise<{ id: string; type: string }> {
  const { status, body } = await sendJson(`${url}/v1/test/events/trigger`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: { type, ...(data === undefined ? {} : { data }), ...(objectId === undefined ? {} : { object_id: objectId }) },
  });
  const answer = body as { data: { id: string; type: string } } & Partial<Refusal>;
  if (status === 201) return answer.data;
  throw new Error(refusalText({ error: `answered ${status}`, ...answer }));
}
