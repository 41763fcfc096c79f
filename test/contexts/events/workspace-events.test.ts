// The stream of a workspace's events, read by a client of graphql-sse.
import { createClient } from 'graphql-sse';
import { describe, expect, it } from 'vitest';
import { endTails } from '../../../src/contexts/events/tail.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const query = `subscription ($types: [String!], $after: EventId) { workspaceEvents(types: $types, after: $after) { id type timestamp data } }`;

interface Following {
  told: Json[];
  ended: Promise<unknown>;
  stop: () => void;
}

/** Follows with a client of graphql-sse; returns when the stream is open. */
async function follow(variables: object = {}, key = harness.test.key): Promise<Following> {
  const told: Json[] = [];
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const client = createClient({
    url: `${harness.test.url}/graphql/stream`,
    headers: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
    fetchFn: async (...args: Parameters<typeof fetch>) => {
      const response = await fetch(...args);
      open();
      return response;
    },
  });
  let stop = () => {};
  const ended = new Promise((resolve) => {
    stop = client.subscribe(
      { query, variables: variables as Record<string, unknown> },
      { next: (result) => told.push(result.data?.['workspaceEvents'] ?? result), error: resolve, complete: () => resolve(null) },
    );
  });
  await opened;
  return { told, ended, stop };
}

const open = (name: string, client = harness.test) => client.make('/v1/accounts', { type: 'person', name });
const names = ({ told }: Following) => told.map(({ data }) => data.name);
const soon = { timeout: 5_000, interval: 10 };

describe('subscription workspaceEvents', () => {
  it('tells what is published from then on, by type, and nothing of another tenant', async () => {
    await open('Before');
    await harness.runDue();
    const all = await follow();
    const some = await follow({ types: ['account.updated', 'transfer.*'] });
    const account = await open('After');
    await open('Elsewhere', harness.other);
    await harness.test.patch(`/v1/accounts/${account.id}`, { name: 'Later' });
    expect(all.told).toEqual([]);
    await harness.runDue();
    await expect.poll(() => names(all), soon).toEqual(['After', 'Later']);
    await expect.poll(() => names(some), soon).toEqual(['Later']);
    const [newest] = (await harness.test.get('/v1/events')).body.data;
    const { deliveries: _, ...envelope } = newest;
    expect(all.told[1]).toEqual(envelope);
    all.stop();
    some.stop();
  });

  it('goes on after an event: nothing is missed, nothing comes twice', async () => {
    const first = await follow();
    await open('One');
    await harness.runDue();
    await expect.poll(() => names(first), soon).toEqual(['One']);
    await endTails(harness.platform);
    await first.ended;
    for (const name of ['Two', 'Three']) await open(name);
    await harness.runDue();
    const second = await follow({ after: first.told[0].id });
    await open('Four');
    await harness.runDue();
    await expect.poll(() => names(second), soon).toEqual(['Two', 'Three', 'Four']);
    second.stop();
    const lost = await follow({ after: nowhere });
    await open('Five');
    await harness.runDue();
    await expect.poll(() => names(lost), soon).toEqual(['Five']);
    lost.stop();
  });

  it('keeps up with more events than one read, in the order of their publishing', async () => {
    const following = await follow();
    await Promise.all(Array.from({ length: 30 }, (_, index) => harness.test.post('/v1/accounts', { type: 'person', name: `N${index}` })));
    for (let round = 0; round < 10; round += 1)
      await Promise.all(
        Array.from({ length: 30 }, () => harness.test.post('/v1/test/events/trigger', { type: 'account.created', data: { name: 'T' } })),
      );
    await harness.runDue();
    await expect.poll(() => following.told.length, { timeout: 15_000, interval: 20 }).toBe(330);
    const listed = (await harness.test.get('/v1/events?limit=200')).body.data.map(({ id }: Json) => id);
    const told = following.told.map(({ id }) => id);
    expect(new Set(told).size).toBe(330);
    expect(told).toEqual(expect.arrayContaining(listed));
    following.stop();
  }, 60_000);

  it('ends at once when the key behind it is revoked', async () => {
    const { id, key } = (await harness.test.make('/v1/api-keys', { name: 'Terminal' })) as Json;
    const following = await follow({}, key);
    await harness.test.delete(`/v1/api-keys/${id}`);
    expect(await following.ended).toBeNull();
  });

  it('400 for a type that no catalog has, 401 without a credential, 403 for an agent', async () => {
    const agent = await enrol(harness.test);
    const send = (variables: object, as: string | null) =>
      fetch(`${harness.test.url}/graphql/stream`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(as === null ? {} : { Authorization: `Bearer ${as}` }) },
        body: JSON.stringify({ query, variables }),
      });
    const codes = async (response: Response) => [response.status, JSON.parse(await response.text()).errors[0].extensions.code];
    expect(await codes(await send({ types: ['nothing.*'] }, harness.test.key))).toEqual([400, 'validation_failed']);
    expect(await codes(await send({}, null))).toEqual([401, 'missing_credential']);
    expect(await codes(await send({}, agent.token))).toEqual([403, 'forbidden']);
  });
});
