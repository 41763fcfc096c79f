// GET /v1/audit-log/export
import { describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { issueKey } from '../identity/sign-in.js';

const harness = useHarness();
const path = '/v1/audit-log/export';

/** The answer as it comes, which is no JSON document. */
async function download(query = '', key = harness.test.key): Promise<{ type: string | null; lines: Json[] }> {
  const answer = await fetch(`${harness.test.url}${path}${query}`, { headers: { Authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  return {
    type: answer.headers.get('content-type'),
    lines: text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json),
  };
}

async function listed(query = ''): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await harness.test.get(`/v1/audit-log?limit=100${query}${cursor}`)).body;
    found.push(...data);
    if (!pagination.has_more) return found;
    cursor = `&starting_after=${pagination.next_cursor}`;
  }
}

describe('200', () => {
  it('has every entry of the list on a line of its own, over as many pages as there are', async () => {
    for (let made = 0; made < 230; made += 1) await harness.test.make('/v1/accounts', { type: 'business', name: `A${made}` });
    await harness.runDue();
    const { type, lines } = await download();
    expect(type).toBe('application/x-ndjson');
    expect(lines.length).toBeGreaterThan(230);
    expect(lines).toEqual(await listed());
    expect(lines.find(({ action }) => action === 'createAccount')).toMatchObject({ leaf_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('takes the filters of the list', async () => {
    harness.clock.advance(60);
    const since = harness.clock.now().toISOString();
    const { id } = await harness.test.make('/v1/accounts', { type: 'business', name: 'Later' });
    await harness.test.patch(`/v1/accounts/${id}`, { name: 'Renamed' });
    expect((await download(`?since=${since}`)).lines.map(({ action }) => action)).toEqual(['updateAccount', 'createAccount']);
    expect((await download(`?since=${since}&action=updateAccount`)).lines).toHaveLength(1);
    expect((await download(`?until=${since}`)).lines).toEqual(await listed(`&until=${since}`));
    expect((await download('?action=nothing')).lines).toEqual([]);
  });

  it('goes on for whoever reads slowly, and is of one workspace', async () => {
    const answer = await fetch(`${harness.test.url}${path}`, { headers: { Authorization: `Bearer ${harness.test.key}` } });
    await harness.test.make('/v1/accounts', { type: 'business', name: 'Meanwhile' });
    expect((await answer.text()).split('\n').length).toBeGreaterThan(230);
    const { lines } = await download('', harness.other.key);
    expect(lines.filter(({ action }) => action === 'createAccount')).toEqual([]);
  });
});

describe('400', () => {
  it('refuses what the list refuses, before the first line', async () => {
    expectInvalid(await harness.test.get(`${path}?since=yesterday`), 'since');
    expectInvalid(await harness.test.get(`${path}?limit=5`), 'limit');
    expectInvalid(await harness.test.get(`${path}?action=a&action=b`), 'action');
    expectInvalid(await harness.test.get(`${path}?actor=nobody`), 'actor');
  });
});

describe('403', () => {
  it('is for who may read the log', async () => {
    const { key } = await issueKey(harness.test, { scopes: ['policies:read'] });
    expectRefused(await harness.test.get(path, { as: key }), 403, 'insufficient_scope', { required_scope: 'audit:read' });
    const { token } = await enrol(harness.test);
    expectRefused(await harness.test.get(path, { as: token }), 403, 'forbidden');
  });
});
