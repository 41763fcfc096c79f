// Redis is speed: what it holds may be lost at any time (ARCHITECTURE.md 1). Without REDIS_URL nobody calls this.
import { Redis } from 'ioredis';
import type { Logger } from './log.js';

export type { Redis };

/**
 * A client for requests: it answers or fails within half a second and queues nothing while Redis is away, so that the caller
 * falls back at once. Connects in the background and for ever; a change of state is logged once.
 */
export function openRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 500,
    connectTimeout: 2_000,
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    if (!lost) log.warn({ err: { message: error.message } }, 'Redis is away: limits are counted in the process');
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
