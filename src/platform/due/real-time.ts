// Work in real time that belongs to no workspace, so that no workspace's clock can move it: what protects others. It has a loop of its own.
import type { Platform } from '../ctx.js';

/** The context.ts of its context lists each. */
export interface RealTimeWork {
  /** Named in the log, and rung by whoever has work for it. */
  name: string;
  /** Does what can be done now. Returns in how many milliseconds there is more: 0 for at once, null for none. */
  run(platform: Platform): Promise<number | null>;
}
