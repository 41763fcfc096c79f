// Forwards the events of a workspace to a receiver on the developer's machine, signed as the server signs them (SPEC.md
// "Webhook envelope and headers"). Read over GraphQL, so it needs a key and no database.
import { setTimeout as wait } from 'node:timers/promises';
import { v7 } from 'uuid';
import { signatureHeader } from '../contexts/webhooks/signature.js';
import { systemClock } from '../platform/clock.js';
import { newToken } from '../platform/crypto.js';
import { Outbound, openEventStream } from '../platform/outbound/client.js';
import type { SendResult } from '../platform/outbound/exchange.js';
import { type Refusal, refusalText } from './refusal.js';

export interface ListenOptions {
  /** The listener of the platform: sandbox or production, as the key. */
  url: string;
  key: string;
  /** Where events go. */
  forwardTo: string;
  /** Types or wildcards; all when there are none. */
  types: readonly string[];
  say: (text: string) => void;
  signal?: AbortSignal | undefined;
}

interface Delivered {
  id: string;
  type: string;
  timestamp: string;
  data: unknown;
}

const document = `subscription Listen($types: [String!], $after: EventId) {
  workspaceEvents(types: $types, after: $after) { id type timestamp data }
}`;
const longestWaitMs = 10_000;

/** Forwards until `signal` aborts, through every interruption. Throws when the platform refuses the key or the types. */
export async function listen({ url, key, forwardTo, types, say, signal }: ListenOptions): Promise<void> {
  const receiver = new Receiver(forwardTo);
  say(`Forwarding ${types.length === 0 ? 'all events' : types.join(', ')} of ${url} to ${forwardTo}`);
  say(`Signing secret of this run: ${receiver.secret}`);
  let after: string | undefined;
  const hasLeft = () => signal?.aborted === true;
  try {
    for (let waitMs = 0; !hasLeft(); waitMs = Math.min(longestWaitMs, waitMs * 2 || 500)) {
      if (waitMs > 0) await wait(waitMs, undefined, signal && { signal }).catch(() => {});
      try {
        for await (const event of follow({ url, key, types, after, signal, opened: () => say('Connected.') })) {
          say(lineOf(event, await receiver.post(event)));
          after = event.id;
          waitMs = 0;
        }
      } catch (error) {
        if (error instanceof Refused) throw error;
        if (!hasLeft()) say(`The stream broke off (${failureText(error)}); connecting again.`);
      }
    }
  } finally {
    await receiver.close();
  }
}

/** What trying again will not change. */
class Refused extends Error {}

async function* follow({
  url,
  key,
  types,
  after,
  signal,
  opened,
}: Omit<ListenOptions, 'forwardTo' | 'say'> & { after: string | undefined; opened: () => void }) {
  const { status, text, events } = await openEventStream(`${url}/graphql/stream`, {
    headers: { Authorization: `Bearer ${key}` },
    body: { query: document, variables: { types: types.length === 0 ? null : types, after: after ?? null } },
    signal,
  });
  if (status >= 500 || status === 429) throw new Error(`answered ${status}`);
  if (status !== 200) throw new Refused(messageOf(JSON.parse(await text())));
  opened();
  for await (const { event, data } of events()) {
    if (event !== 'next') continue;
    const result = JSON.parse(data) as { data?: { workspaceEvents?: Delivered } };
    const told = result.data?.workspaceEvents;
    if (told === undefined) throw new Refused(messageOf(result));
    yield told;
  }
}

function messageOf(answer: unknown): string {
  const { errors, ...refusal } = answer as Partial<Refusal> & { errors?: { message: string; extensions?: Pick<Refusal, 'details'> }[] };
  const [first] = errors ?? [];
  const error = first?.message ?? 'the platform refused the stream';
  return refusalText({ error, details: first?.extensions?.details, ...refusal });
}

function failureText(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return cause?.code ?? message ?? String(error);
}

/** One receiver and the secret that it verifies with. */
class Receiver {
  readonly secret = newToken('whsec_');
  readonly #webhookId = `wh_${v7()}`;
  readonly #url: string;
  readonly #outbound: Outbound;

  constructor(url: string) {
    const { hostname, port, protocol } = new URL(url);
    this.#url = url;
    this.#outbound = new Outbound({ allowHosts: [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`] });
  }

  post({ id, type, timestamp, data }: Delivered): Promise<SendResult> {
    const body = Buffer.from(JSON.stringify({ id, type, timestamp, data }));
    const headers = {
      'Content-Type': 'application/json',
      'X-Svc-Signature': signatureHeader(body, [this.secret], Math.floor(systemClock.now().getTime() / 1000)),
      'X-Svc-Event-Id': id,
      'X-Svc-Delivery-Id': `del_${v7()}`,
      'X-Svc-Webhook-Id': this.#webhookId,
    };
    return this.#outbound.post(this.#url, { workspaceId: '', mayBePrivate: true, headers, body });
  }

  close(): Promise<void> {
    return this.#outbound.close();
  }
}

function lineOf({ id, type, timestamp }: Delivered, { status, error, durationMs }: SendResult): string {
  return `${timestamp}  ${type.padEnd(24)}  ${id}  -> ${status ?? error} in ${durationMs} ms`;
}
