// Agents that name profiles under names which nobody answers for hold up themselves, and nobody else.
import { afterAll, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { useHarness } from '../../harness.js';
import { NameServer } from '../../name-server.js';
import { songs, Talk } from './talk.js';

const names = await NameServer.start();
const harness = useHarness({ nameServers: [names.address] });
afterAll(() => names.stop());

it('looks four names of a workspace up at once, while those of others are found', async () => {
  const { merchant } = await newSeller(harness.test);
  const held = Array.from({ length: 20 }, (_, n) => `n${n}.slow.example`);
  for (const name of held) names.lead(name, 'never');
  const talk = new Talk(harness.test, merchant, '');
  const asked = held.map((name) => talk.create(songs(), { agent: `profile="https://${name}/"` }));
  await names.heard(4);
  names.lead('inside.example', ['10.0.0.1']);
  const webhook = { url: 'https://inside.example/hook', events: ['account.created'] };
  expect(await harness.other.post('/v1/webhooks', webhook)).toMatchObject({ status: 422, body: { code: 'invalid_webhook_url' } });
  expect(names.names.filter((name) => name.endsWith('.slow.example'))).toHaveLength(4);
  for (const { status, body } of await Promise.all(asked)) expect([status, body.code]).toEqual([424, 'profile_unreachable']);
});
