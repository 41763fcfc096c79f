// A process that is told to end goes on serving for DRAIN_SECONDS, and says that it is not ready (CONTRACT.md 24).
import { expect, it } from 'vitest';
import { type Json, useHarness } from './harness.js';
import { startSecond } from './second-server.js';

const harness = useHarness();

it('is served by a process that drains, which is not ready and keeps no connection', async () => {
  const server = await startSecond(harness, undefined, { drainSeconds: 1 });
  const ask = async (path: string) => {
    const answer = await fetch(`${server.urls.test}${path}`, { headers: { Authorization: `Bearer ${harness.test.key}` } });
    return { status: answer.status, connection: answer.headers.get('connection'), body: (await answer.json()) as Json };
  };
  expect(await ask('/ready')).toMatchObject({ status: 200, connection: 'keep-alive', body: { status: 'ready' } });
  const stopped = server.stop();
  expect(await ask('/ready')).toMatchObject({ status: 503, connection: 'close', body: { status: 'draining' } });
  expect(await ask('/health')).toMatchObject({ status: 200, connection: 'close' });
  expect(await ask('/v1/me')).toMatchObject({ status: 200, connection: 'close' });
  await stopped;
  await expect(ask('/health')).rejects.toThrow('fetch failed');
});
