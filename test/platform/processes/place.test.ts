// A place of a process (src/platform/processes/place.ts), with real processes that end as they are told.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/platform/log.js';
import { type Launched, mostFailures, Place } from '../../../src/platform/processes/place.js';

vi.setConfig({ testTimeout: 60_000 });

/** Starts each of `programs` in turn, the last one again and again; each says on its standard output that it is ready, or not. */
function placeOf(programs: readonly string[], readyWithinMs?: number) {
  const children: ChildProcess[] = [];
  const pauses: number[] = [];
  const launch = (): Launched<string> => {
    const program = programs[Math.min(children.length, programs.length - 1)] as string;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return {
      ready: new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data)))),
      ended: once(child, 'close').then(([code, signal]) => `ended with ${signal ?? code}`),
      kill: (signal) => void child.kill(signal),
    };
  };
  const pause = async (ms: number) => void pauses.push(ms);
  const place = new Place({ number: 1, log: createLogger('silent'), launch, pause, ...(readyWithinMs !== undefined && { readyWithinMs }) });
  return { place, children, pauses };
}

const serving = "process.stdout.write('ready'); setInterval(() => {}, 1_000)";
const failing = 'process.exit(3)';

it('says what the first process says, and starts another one when that has died', async () => {
  const { place, children, pauses } = placeOf([serving]);
  expect(await place.first).toBe('ready');
  children[0]?.kill('SIGKILL');
  await expect.poll(() => children.length, { interval: 5, timeout: 20_000 }).toBe(2);
  await once(children[1]?.stdout as NodeJS.ReadableStream, 'data');
  await place.stop();
  expect(children.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGTERM']);
  expect(pauses).toEqual([100]);
});

it('says why the first process failed, and starts no other one', async () => {
  const { place, children } = placeOf([failing]);
  await expect(place.first).rejects.toThrow('ended with 3');
  expect((await place.lost).message).toBe('ended with 3');
  expect(children).toHaveLength(1);
  await place.stop();
});

it('pauses longer each time when processes die at once, and gives up in the end', async () => {
  const { place, children, pauses } = placeOf([serving, failing]);
  await place.first;
  children[0]?.kill('SIGKILL');
  const reason = await place.lost;
  expect(reason.message).toBe(`Process 1 did not become ready in ${mostFailures} starts. The last one: ended with 3`);
  expect(children).toHaveLength(1 + mostFailures);
  expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
});

it('does not wait for ever for a process to become ready', async () => {
  const { place, children } = placeOf(['setInterval(() => {}, 1_000)'], 50);
  await expect(place.first).rejects.toThrow('ended with SIGKILL');
  expect(children).toHaveLength(1);
});

it('goes on counting from nothing when a process became ready in between', async () => {
  const { place, children, pauses } = placeOf([serving, ...Array<string>(mostFailures - 1).fill(failing), serving]);
  await place.first;
  children[0]?.kill('SIGKILL');
  await expect.poll(() => children.length, { interval: 5, timeout: 30_000 }).toBe(mostFailures + 1);
  await once(children.at(-1)?.stdout as NodeJS.ReadableStream, 'data');
  expect(pauses).toHaveLength(mostFailures);
  await place.stop();
  expect(children.at(-1)?.signalCode).toBe('SIGTERM');
});
