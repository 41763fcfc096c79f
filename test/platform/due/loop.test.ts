// What a loop of background work says of its failures (src/platform/due/loop.ts).
import { expect, it, vi } from 'vitest';
import { Loop } from '../../../src/platform/due/loop.js';
import type { Logger } from '../../../src/platform/log.js';

it('says a failure once while it goes on, and again when it is another or comes back', async () => {
  const said: string[] = [];
  const log = { warn: ({ err }: { err: Error }) => said.push(err.message) } as unknown as Logger;
  let rounds = 0;
  let fault: string | null = 'away';
  const loop = new Loop({ name: 'test', pollMs: 1, log }, async () => {
    rounds += 1;
    if (fault !== null) throw new Error(fault);
    return Number.POSITIVE_INFINITY;
  });
  const someRounds = async () => {
    const until = rounds + 5;
    await vi.waitFor(() => expect(rounds).toBeGreaterThan(until), { interval: 1, timeout: 20_000 });
  };
  await someRounds();
  expect(said).toEqual(['away']);
  fault = 'other';
  await someRounds();
  expect(said).toEqual(['away', 'other']);
  fault = null;
  await someRounds();
  fault = 'other';
  await someRounds();
  await loop.stop();
  expect(said).toEqual(['away', 'other', 'other']);
});
