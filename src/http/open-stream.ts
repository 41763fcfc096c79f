// How many streams may be open at once: ten of one actor, of every kind together, and two hundred of one workspace over GraphQL. They are
// counted together for all processes of one start.
import type { ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';
import type { Ctx, Platform } from '../platform/ctx.js';
import { RateLimitExceeded } from '../platform/errors.js';
import { SharedCount, StreamCount, type StreamLimit } from './stream-count.js';

// Gap G-87: An actor has ten open streams of all kinds together, a workspace 200 over GraphQL; one more is 429 with `Retry-After: 5`.
export const maxOfActor = 10;
export const maxOfWorkspace = 200;
/** Streams end when they end: a caller may try again after this. */
const retryAfterSeconds = 5;

export const openStreams = new Gauge({
  name: 'open_streams',
  help: 'Streams that are open in this process: the channels of agents (rest), and subscriptions (graphql).',
  labelNames: ['face'],
  registers: [],
});

const counts = new WeakMap<Platform, StreamCount | SharedCount>();

function countOf(platform: Platform): StreamCount | SharedCount {
  const { primary } = platform;
  const count = counts.get(platform) ?? (primary === undefined ? new StreamCount() : new SharedCount(primary));
  counts.set(platform, count);
  return count;
}

/**
 * Counts a stream that is about to begin, until its response closes. Called where a subscription begins, before anything is done for
 * it. 429 when the actor, or over GraphQL the workspace, has as many open as it may.
 */
export async function admitStream(res: ServerResponse, { actor, workspace, platform }: Ctx, face: 'graphql' | 'rest'): Promise<void> {
  const limits: StreamLimit[] = [[`actor:${workspace.id}:${actor.type}:${actor.id}`, maxOfActor]];
  if (face === 'graphql') limits.push([`workspace:${workspace.id}`, maxOfWorkspace]);
  const end = await countOf(platform).begin(limits);
  if (end === undefined) throw new RateLimitExceeded(retryAfterSeconds);
  // The client has left: nothing will be sent, and nothing would end the count.
  if (res.closed) return end();
  openStreams.inc({ face });
  res.once('close', () => {
    openStreams.dec({ face });
    end();
  });
}
