// Redis is speed: what it holds may be lost at any time (ARCHITECTURE.md 1). Without REDIS_URL nobody calls this.
import { Redis } from 'ioredis';
import type { Logger } from './log.js';

export type { Redis };

/** Milliseconds of silence after which a Redis that was asked something counts as away. */
const longestSilenceMs = 500;
/** And those after which the follower of a stream says so, which waits for five seconds at a time. */
const followerSilenceMs = 10_000;
/** Milliseconds between two tries to reach it again. */
const probeEveryMs = 1_000;

/**
 * A client for requests, which queues nothing while Redis is away, so that the caller falls back at once. Away is also a Redis that does not
 * answer: its connection is given up with all that waits for it, so that a request waits for that once at most, and a connection counts
 * only when Redis has answered on it. Tries for ever; a change of state is logged once.
 */
export function openRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: longestSilenceMs,
    // For one answer that stays out while others come.
    commandTimeout: 2 * longestSilenceMs,
    connectTimeout: 2_000,
    retryStrategy: () => probeEveryMs,
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    if (!lost) log.warn({ err: { message: error.message } }, 'Redis is not reachable: limits are counted in this process');
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) log.info('Redis is back');
    lost = false;
  });
  // A first connection that fails is told by the listener above and tried again.
  redis.connect().catch(() => {});
  return redis;
}

/** A client that waits in a stream beside `redis`, for as long as it takes; a connection that has gone silent is replaced. */
export function openFollower(redis: Redis): Redis {
  const follower = redis.duplicate({
    commandTimeout: undefined as never,
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    socketTimeout: followerSilenceMs,
  });
  follower.on('error', () => {});
  return follower;
}
