// A result of MCP has an end too: what is larger is refused, and the model is told to ask for less (CONTRACT.md 21).
import { beforeAll, expect, it } from 'vitest';
import { useHarness } from '../harness.js';
import { eras } from './era.js';

const harness = useHarness();

beforeAll(async () => {
  const metadata = { text: '"'.repeat(8_000) };
  for (let made = 0; made < 200; made += 20) {
    await Promise.all(Array.from({ length: 20 }, () => harness.test.make('/v1/accounts', { type: 'business', name: 'Long', metadata })));
  }
});

it.each(eras)('a result that would be more than 8 MB in its message is refused, and less of it is not: %s', async (_, open) => {
  await using client = await open(harness.test.url, harness.test.key);
  expect(await client.refused('list_accounts', { limit: 200 })).toMatchObject({
    code: 'overloaded',
    details: { reason: 'answer_too_large', retry: { safe: true } },
  });
  expect((await client.call('list_accounts', { limit: 100 })).data).toHaveLength(100);
  expect((await harness.test.get('/v1/accounts?limit=200')).status).toBe(200);
});
