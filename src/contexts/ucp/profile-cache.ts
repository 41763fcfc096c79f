// Profiles of agents that this process keeps for a minute, in a cache of their own: whoever publishes many pushes out profiles alone.
import { LRUCache } from 'lru-cache';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { type ApiError, RateLimitExceeded } from '../../platform/errors.js';
import { sizeOf } from '../../platform/size.js';
import type { CapabilityVersions } from './capability.js';

/** What of a profile is used. */
export interface CachedProfile {
  /** One that is spoken here. */
  version: string;
  capabilities: CapabilityVersions;
  keys: readonly ProfileKey[];
  /** Where the platform wants to hear of its orders. */
  orderWebhook?: string;
}

/** What of a key of a profile is used. */
export type ProfileKey = {
  kid: string;
  kty: string;
  crv?: string | undefined;
  x?: string | undefined;
  y?: string | undefined;
  alg?: string | undefined;
  use?: string | undefined;
  key_ops?: string[] | undefined;
};

export type ProfileOutcome = { profile: CachedProfile } | { failure: ApiError };

/** A profile that could not be read is asked for again after so many seconds. */
const failureSeconds = 5;
const cachedSeconds = 60;
const mostBytes = 16 * 1024 * 1024;
/** Gap G-402: Profiles are fetched 30 times a minute for a workspace in a process; beyond that 429. */
const mostFetches = 30;

/** An error has its message twice, in its stack too. */
function bytesOf(outcome: ProfileOutcome): number {
  return 'failure' in outcome ? 4_096 + 4 * outcome.failure.message.length : sizeOf(outcome.profile);
}

const processes = new WeakMap<Platform, ProfileCache>();

/** The profiles that the process keeps. */
export function profilesOf(platform: Platform): ProfileCache {
  const known = processes.get(platform) ?? new ProfileCache(platform);
  processes.set(platform, known);
  return known;
}

interface Entry {
  outcome: Promise<ProfileOutcome>;
  until: Date;
}

class ProfileCache {
  readonly #platform: Platform;
  readonly #entries: LRUCache<string, Entry>;
  /** The minute that is counted in, and what each workspace has had fetched in it. */
  #minute = 0;
  readonly #fetches = new Map<string, number>();

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#entries = new LRUCache({ maxSize: mostBytes, ttl: cachedSeconds * 1_000, ttlAutopurge: true });
  }

  /** Bytes of what is kept. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** What was kept of the profile, or `read` finds: once for all who ask meanwhile. 429 where the workspace has had its fetches. */
  async get({ id }: Pick<Ctx['workspace'], 'id'>, url: string, read: () => Promise<ProfileOutcome>): Promise<ProfileOutcome> {
    // What the sandbox may fetch, production may not, and what one tenant could not reach is no news for another: they share no entry.
    const name = `${id} ${url}`;
    const now = this.#platform.clock.now();
    const kept = this.#entries.get(name);
    if (kept !== undefined && kept.until > now) return kept.outcome;
    this.#spend(id, now);
    const entry: Entry = { outcome: read(), until: addSeconds(now, cachedSeconds) };
    this.#entries.set(name, entry, { size: sizeOf(name) });
    try {
      const outcome = await entry.outcome;
      if ('failure' in outcome) entry.until = addSeconds(now, failureSeconds);
      if (this.#entries.peek(name) === entry) this.#entries.set(name, entry, { size: sizeOf(name) + bytesOf(outcome) });
      return outcome;
    } catch (error) {
      if (this.#entries.peek(name) === entry) this.#entries.delete(name);
      throw error;
    }
  }

  #spend(workspaceId: string, now: Date): void {
    const minute = Math.floor(now.getTime() / 60_000);
    if (minute !== this.#minute) this.#fetches.clear();
    this.#minute = minute;
    const spent = this.#fetches.get(workspaceId) ?? 0;
    if (spent >= mostFetches) throw new RateLimitExceeded(60 - now.getUTCSeconds());
    this.#fetches.set(workspaceId, spent + 1);
  }
}
