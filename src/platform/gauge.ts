// Gauges that are read when somebody asks for them: from the database by bounded statements, or from a part of the process.
import type { Platform } from './ctx.js';

/** One value of a gauge; `label` is that of the gauge's one label, where it has one. */
export interface Sample {
  name: string;
  label?: string;
  value: number;
}

/** Gauges that are read together. A failure leaves them without values. */
export interface GaugeGroup {
  name: string;
  /** It is of the process; by default it is read for each cell, and its values say of which. */
  isOfProcess?: boolean;
  /** Of the values of several processes the greatest counts, or the least. */
  gauges: readonly { name: string; help: string; label?: string; across?: 'max' | 'min' }[];
  read(platform: Platform): Promise<readonly Sample[]>;
}

/** The most rows that a gauge counts: what comes beyond is not told apart. */
export const mostCounted = 10_000;
