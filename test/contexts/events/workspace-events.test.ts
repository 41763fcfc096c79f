// The stream of a workspace's events, read by a client of graphql-sse.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endWorkspaceStreams, polledStreams } from '../../../src/contexts/events/workspace-stream.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { type Following, follow as followSubscription } from './follow.js';

const harness = useHarness();
const query = `subscription ($types: [String!], $after: EventId) { workspaceEvents(types: $types, after: $after) { id type timestamp data } }`;

const followings: Following[] = [];
afterEach(() => {
  for (const { stop } of followings.splice(0)) stop();
});

/** Follows with a client of graphql-sse until the end of the test; returns when the stream is open. */
async function follow(variables: object = {}, key = harness.test.key): Promise<Following> {
  const following = await followSubscription(harness.test, query, 'workspaceEvents', { variables, key });
  followings.push(following);
  return following;
}

const open = (name: string, client = harness.test) => client.make('/v1/accounts', { type: 'person', name });
const names = ({ received }: Following) => received.map(({ data }) => data.name);
const soon = { timeout: 15_000, interval: 10 };

describe('subscription workspaceEvents', () => {
  it('sends what is published from then on, by type, and nothing of another tenant', async () => {
    await open('Before');
    await harness.runDue();
    const all = await follow();
    const some = await follow({ types: ['account.updated', 'transfer.*'] });
    const account = await open('After');
    await open('Elsewhere', harness.other);
    await harness.test.patch(`/v1/accounts/${account.id}`, { name: 'Later' });
    expect(all.received).toEqual([]);
    await harness.runDue();
    await expect.poll(() => names(all), soon).toEqual(['After', 'Later']);
    await expect.poll(() => names(some), soon).toEqual(['Later']);
    const [newest] = (await harness.test.get('/v1/events')).body.data;
    const { deliveries: _, ...envelope } = newest;
    expect(all.received[1]).toEqual(envelope);
    all.stop();
    some.stop();
  });

  it('goes on after an event: nothing is missed, nothing comes twice', async () => {
    const first = await follow();
    await open('One');
    await harness.runDue();
    await expect.poll(() => names(first), soon).toEqual(['One']);
    await endWorkspaceStreams(harness.platform);
    await first.ended;
    for (const name of ['Two', 'Three']) await open(name);
    await harness.runDue();
    const second = await follow({ after: first.received[0].id });
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
    await expect.poll(() => following.received.length, { timeout: 15_000, interval: 20 }).toBe(330);
    const listed = (await harness.test.get('/v1/events?limit=200')).body.data.map(({ id }: Json) => id);
    const received = following.received.map(({ id }) => id);
    expect(new Set(received).size).toBe(330);
    expect(received).toEqual(expect.arrayContaining(listed));
    following.stop();
  }, 180_000);

  it('reads for all streams of a workspace that have caught up with one poller', async () => {
    const readers = await Promise.all(Array.from({ length: 5 }, () => follow()));
    await expect.poll(() => polledStreams(harness.platform), soon).toEqual([5]);
    const spy = vi.spyOn(harness.platform.database.pool, 'query');
    await open('For all');
    await harness.runDue();
    await expect.poll(() => readers.map(names), soon).toEqual(Array(5).fill(['For all']));
    const reads = spy.mock.calls.flatMap(([statement], n) =>
      (statement as { name?: string }).name === 'read-published'
        ? [spy.mock.results[n]?.value as unknown as Promise<{ rows: Json[] }>]
        : [],
    );
    spy.mockRestore();
    const found = (await Promise.all(reads)).filter(({ rows }) => rows.length > 0);
    expect(found).toHaveLength(1);
    await follow({}, harness.other.key);
    await expect.poll(() => polledStreams(harness.platform), soon).toEqual([5, 1]);
    for (const { stop } of readers) stop();
    await expect.poll(() => polledStreams(harness.platform), soon).toEqual([1]);
  });

  it('loses nothing for a reader that joins while events are published', async () => {
    const first = await follow();
    const readers: Following[] = [first];
    const made: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      made.push(`M${n}`);
      await open(`M${n}`);
      const [published, joined] = await Promise.all([harness.runDue(), first.received[0] && follow({ after: first.received[0].id })]);
      expect(published).toBeUndefined();
      if (joined) readers.push(joined);
      await expect.poll(() => names(first), soon).toEqual(made);
    }
    await expect.poll(() => readers.map(names), soon).toEqual(readers.map((_, n) => (n === 0 ? made : made.slice(1))));
    for (const { stop } of readers) stop();
  });

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
