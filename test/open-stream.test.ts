// How many streams may be open at once (src/http/open-stream.ts).
import { describe, expect, it } from 'vitest';
import { maxOfActor, maxOfWorkspace } from '../src/http/open-stream.js';
import { payer } from './contexts/agents/payer.js';
import { connect } from './contexts/agents/stream.js';
import { useHarness } from './harness.js';

const harness = useHarness({ env: { RATE_LIMIT_SANDBOX: '100000' } });

interface Opened {
  response: Response;
  leave: () => void;
}

async function open(as: string, path = '/graphql/stream', query = 'subscription { workspaceEvents { id } }'): Promise<Opened> {
  const gone = new AbortController();
  const response = await fetch(`${harness.test.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
    signal: gone.signal,
  });
  return { response, leave: () => gone.abort() };
}

const openMany = (count: number, as: string) => Promise.all(Array.from({ length: count }, () => open(as)));

async function expectRefused({ response }: Opened): Promise<void> {
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await response.text()).toContain('rate_limit_exceeded');
}

describe('open streams', () => {
  it('429 for the eleventh of an actor, on either path, until one of them ends', async () => {
    const { key } = await harness.test.make('/v1/api-keys', { name: 'Dashboard' });
    const streams = await openMany(maxOfActor, key);
    expect(streams.map(({ response }) => response.status)).toEqual(Array(maxOfActor).fill(200));
    await expectRefused(await open(key));
    await expectRefused(await open(key, '/graphql'));
    // A query is no stream, and another actor has its own.
    expect((await harness.test.graphql('{ me { environment } }', {}, { as: key })).status).toBe(200);
    const other = await open(harness.test.key);
    expect(other.response.status).toBe(200);
    streams[0]?.leave();
    await expect
      .poll(
        async () => {
          const next = await open(key);
          streams.push(next);
          return next.response.status;
        },
        { timeout: 20_000, interval: 20 },
      )
      .toBe(200);
    for (const { leave } of [...streams, other]) leave();
  });

  it('429 for the eleventh of an agent, its connections among them', async () => {
    const agent = await payer(harness);
    const query = `subscription { agentEvents(agentId: "${agent.id}") { id } }`;
    const connected = await connect(harness.test, agent.id, agent.session);
    const watching = await Promise.all(Array.from({ length: maxOfActor - 1 }, () => open(agent.token, '/graphql/stream', query)));
    expect(watching.map(({ response }) => response.status)).toEqual(Array(maxOfActor - 1).fill(200));
    await expectRefused(await open(agent.token, '/graphql/stream', query));
    const refused = await harness.test.get(`/v1/agents/${agent.id}/connect`, { as: agent.session });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(refused.body).toEqual({ error: 'rate_limit_exceeded', retry_after: 5 });
    for (const { leave } of watching) leave();
    await connected.leave();
  });

  it('429 for the two hundred and first of a workspace over GraphQL; another workspace has its own', async () => {
    const streams: Opened[] = [];
    for (let n = 0; n < maxOfWorkspace / maxOfActor; n += 1) {
      const { key } = await harness.other.make('/v1/api-keys', { name: `Key ${n}` });
      streams.push(...(await openMany(maxOfActor, key)));
    }
    expect(streams.filter(({ response }) => response.status === 200)).toHaveLength(maxOfWorkspace);
    await expectRefused(await open(harness.other.key));
    const here = await open(harness.test.key);
    expect(here.response.status).toBe(200);
    for (const { leave } of [...streams, here]) leave();
  }, 60_000);
});
