// How many streams may be open at once: ten of one actor, of every kind together, and two hundred of one workspace over GraphQL. They are
// counted in this process (Gap G-87).
import type { ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';
import type { Ctx, Platform } from '../platform/ctx.js';
import { RateLimitExceeded } from '../platform/errors.js';

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

/** Open streams by who opened them. */
type Counts = Map<string, number>;

const processes = new WeakMap<Platform, Counts>();

function countsOf(platform: Platform): Counts {
  const counts: Counts = processes.get(platform) ?? new Map();
  processes.set(platform, counts);
  return counts;
}

/**
 * Counts a stream that is about to begin, until its response closes. Called where a subscription begins, before anything is done for
 * it. 429 when the actor, or over GraphQL the workspace, has as many open as it may.
 */
export function admitStream(res: ServerResponse, { actor, workspace, platform }: Ctx, face: 'graphql' | 'rest'): void {
  const limits: [string, number][] = [[`actor:${workspace.id}:${actor.type}:${actor.id}`, maxOfActor]];
  if (face === 'graphql') limits.push([`workspace:${workspace.id}`, maxOfWorkspace]);
  const counts = countsOf(platform);
  if (limits.some(([name, max]) => (counts.get(name) ?? 0) >= max)) throw new RateLimitExceeded(retryAfterSeconds);
  // The client has left: nothing will be sent, and nothing would end the count.
  if (res.closed) return;
  for (const [name] of limits) counts.set(name, (counts.get(name) ?? 0) + 1);
  openStreams.inc({ face });
  res.once('close', () => {
    openStreams.dec({ face });
    for (const [name] of limits) {
      const left = (counts.get(name) ?? 1) - 1;
      if (left === 0) counts.delete(name);
      else counts.set(name, left);
    }
  });
}
