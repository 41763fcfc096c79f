// Follows a subscription of GraphQL with a client of graphql-sse.
import { createClient } from 'graphql-sse';
import type { Client, Json } from '../../harness.js';

export interface Following {
  /** What the field of the subscription was, time after time. */
  received: Json[];
  /** Resolved with null at the end of the stream, or with what it failed of. */
  ended: Promise<unknown>;
  stop: () => void;
}

export interface FollowOptions {
  variables?: object;
  key?: string;
  path?: '/graphql' | '/graphql/stream';
}

/** Follows the subscription `query`, whose field is `field`, until it is stopped; returns when the stream is open. */
export async function follow(
  client: Client,
  query: string,
  field: string,
  { variables = {}, key = client.key, path = '/graphql/stream' }: FollowOptions = {},
): Promise<Following> {
  const received: Json[] = [];
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reader = createClient({
    url: client.url + path,
    headers: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
    fetchFn: async (...args: Parameters<typeof fetch>) => {
      const response = await fetch(...args);
      open();
      return response;
    },
  });
  let stop = () => {};
  const ended = new Promise((resolve) => {
    stop = reader.subscribe(
      { query, variables: variables as Record<string, unknown> },
      { next: (result) => received.push(result.data?.[field] ?? result), error: resolve, complete: () => resolve(null) },
    );
  });
  await opened;
  return { received, ended, stop };
}
