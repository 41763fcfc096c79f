// The codecs of the versions that are spoken.
import type { Codec } from './codec.js';
import { april } from './codec-2026-04-08.js';
import { august } from './codec-2026-08-25.js';

/** Newest first, as `versions` has them. */
export const codecs: readonly Codec[] = [august, april];

/** The codec of a version; undefined for one that is not spoken here. */
export function codecOf(version: unknown): Codec | undefined {
  return codecs.find((codec) => codec.version === version);
}
