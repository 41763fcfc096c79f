// Transfers with a key that may do one thing and with one that may do everything, in turn, on the same server and the same wallets.
import { measure, type Next, type Result } from './measure.js';
import { median, type Sandbox, say, testKey } from './platform.js';
import { makeWallets, requestMaker } from './wallets.js';

/** Compares over 64 connections, and prints the ratio of each pair. */
export async function runScoped(
  sandbox: Sandbox,
  { rounds, seconds, wallets }: { rounds: number; seconds: number; wallets: number },
): Promise<void> {
  const { url } = sandbox;
  const { data } = await sandbox.make<{ data: { key: string } }>('/v1/api-keys', { name: 'Scoped', scopes: ['transfers:write'] });
  const next = requestMaker(url, await makeWallets(sandbox, wallets), false, true);
  // Both are made alike.
  const withKey =
    (key: string): Next =>
    () =>
      next().replace(testKey, key);
  const sides = [data.key, testKey].map((key) => ({ next: withKey(key), results: [] as Result[] }));
  for (const side of sides) await measure(url, 64, 2, side.next);
  for (let round = 0; round < rounds; round += 1)
    // Whoever comes first in a round comes second in the next.
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) side.results.push(await measure(url, 64, seconds, side.next));
  const [scoped, whole] = sides.map(({ results }) => results) as [Result[], Result[]];
  const ratios = scoped.map(({ ours }, round) => ours / (whole[round]?.ours ?? Number.NaN));
  const cpu = (results: readonly Result[]) => median(results.map(({ server }) => server)).toFixed(0);
  say(
    `${median(scoped.map(({ ours }) => ours)).toFixed(0)}/s with a scoped key beside ${median(whole.map(({ ours }) => ours)).toFixed(0)}/s with *, ` +
      `ratio ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); CPU of the server for a request ${cpu(scoped)} us and ${cpu(whole)} us`,
  );
}
