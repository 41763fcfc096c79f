// What is measured of a protocol: today's wire, beside what was there before.
import type { Next } from './measure.js';
import type { Sandbox } from './platform.js';

/** What is measured beside something. */
export interface Wire {
  name: string;
  /** What it is measured beside. */
  beside: string;
  /** The first digit of the status of its answers; 2 by default. */
  status?: string;
  /** The ratio to that which is aimed at. */
  aim: number;
  open(sandbox: Sandbox): Promise<{ today: Next; before: Next }>;
}
