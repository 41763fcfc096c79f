// How long calls take that are sent one after the other.
import { testKey } from './platform.js';

/** Milliseconds. */
export interface Latency {
  p50: number;
  p99: number;
}

export const print = ({ p50, p99 }: Latency): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

/** Reads with the API key, or as somebody else. Fails unless it succeeds. */
export async function get(url: URL, target: string, as = testKey): Promise<void> {
  const response = await fetch(new URL(target, url), { headers: { Authorization: `Bearer ${as}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target}: ${text}`);
}

/** What `count` calls take, one after the other, after a tenth of them to warm up. */
export async function timed(count: number, call: (n: number) => Promise<unknown>): Promise<Latency> {
  const taken: number[] = [];
  const warm = Math.ceil(count / 10);
  for (let n = 0; n < warm + count; n += 1) {
    const begun = performance.now();
    await call(n);
    if (n >= warm) taken.push(performance.now() - begun);
  }
  taken.sort((a, b) => a - b);
  const share = (part: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * part))] ?? Number.NaN;
  return { p50: share(0.5), p99: share(0.99) };
}
