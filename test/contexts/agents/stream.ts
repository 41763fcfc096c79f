// A reader of event streams: what came, in order, and a promise of what has not come yet.
import { createParser } from 'eventsource-parser';
import { expect } from 'vitest';
import type { Client, Json } from '../../harness.js';

export interface StreamEvent {
  id: string | undefined;
  event: string;
  data: Json;
}

interface Wish {
  wanted: (events: readonly StreamEvent[]) => boolean;
  resolve: () => void;
  reject: (error: Error) => void;
}

export class EventReader {
  readonly events: StreamEvent[] = [];
  /** The bytes as they came. */
  text = '';
  /** Resolved when the stream has ended, by whichever side. */
  readonly ended: Promise<void>;
  #wishes: Wish[] = [];
  readonly #gone: AbortController;

  constructor(response: Response, gone: AbortController) {
    this.#gone = gone;
    this.ended = this.#read(response);
  }

  /** The numbered events. */
  get lines(): StreamEvent[] {
    return this.events.filter(({ event }) => event.endsWith('_completed') || event === 'key_rotated');
  }

  /** Resolves when what has come is what is `wanted`; fails when the stream ends before. */
  async until(wanted: (events: readonly StreamEvent[]) => boolean): Promise<StreamEvent[]> {
    if (!wanted(this.events)) await new Promise<void>((resolve, reject) => this.#wishes.push({ wanted, resolve, reject }));
    return this.events;
  }

  /** The first event of a type. */
  async first(type: string): Promise<StreamEvent> {
    const events = await this.until((all) => all.some(({ event }) => event === type));
    return events.find(({ event }) => event === type) as StreamEvent;
  }

  /** Goes away. */
  async leave(): Promise<void> {
    this.#gone.abort();
    await this.ended;
  }

  async #read(response: Response): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, event = 'message', data }) => {
        this.events.push({ id, event, data: data === '' ? undefined : JSON.parse(data) });
        this.#wishes = this.#wishes.filter(({ wanted, resolve }) => {
          const fulfilled = wanted(this.events);
          if (fulfilled) resolve();
          return !fulfilled;
        });
      },
    });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        const text = decoder.decode(chunk, { stream: true });
        this.text += text;
        parser.feed(text);
      }
    } catch (error) {
      if (!this.#gone.signal.aborted && !(error instanceof TypeError)) throw error;
    } finally {
      const seen = this.events.map(({ event, id }) => `${event} ${id}`).join(', ');
      for (const { reject } of this.#wishes) reject(new Error(`the stream ended after: ${seen}`));
    }
  }
}

/** Connects an agent with its session; the stream must open. */
export async function connect(client: Client, id: string, session: string, lastEventId?: string): Promise<EventReader> {
  const gone = new AbortController();
  const response = await fetch(`${client.url}/v1/agents/${id}/connect`, {
    headers: { Authorization: `Bearer ${session}`, ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) },
    signal: gone.signal,
  });
  if (response.status !== 200) expect.fail(`connect: ${response.status} ${await response.text()}`);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  return new EventReader(response, gone);
}

/** Watches an agent through GraphQL, with any credential. */
export async function watch(
  client: Client,
  id: string,
  { as = client.key, after }: { as?: string; after?: string } = {},
): Promise<EventReader> {
  const gone = new AbortController();
  const query = 'subscription ($id: AgentId!, $after: String) { agentEvents(agentId: $id, lastEventId: $after) { id event data } }';
  const response = await fetch(`${client.url}/graphql/stream`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables: { id, after } }),
    signal: gone.signal,
  });
  return new EventReader(response, gone);
}
