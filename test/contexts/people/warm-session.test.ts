// A browser session that a process knows costs no query (CONTRACT.md 22).
import { expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { countQueries } from '../agents/identity.js';
import { join } from './browser.js';

const harness = useHarness();

it('a request with a cookie that is known asks the database nothing', async () => {
  const { browser } = await join(harness, 'owner');
  const look = async () => void expect((await browser.graphql('{ me { environment scopes actor { id } } }')).status).toBe(200);
  await look();
  await look();
  expect(await countQueries(harness.platform, look)).toBe(0);
  // The count is one of something: what is forgotten is read again.
  harness.platform.cache.clear();
  expect(await countQueries(harness.platform, look)).toBeGreaterThan(0);
});
