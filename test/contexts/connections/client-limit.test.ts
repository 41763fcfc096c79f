// Anybody can register a client, so those without a grant are few and short-lived (CONTRACT.md 22).
import { beforeEach, expect, it } from 'vitest';
import { sweepArtifacts } from '../../../src/contexts/connections/connection.js';
import { useHarness } from '../../harness.js';
import { Browser, Program, redirectUri, send } from './program.js';

const harness = useHarness({ env: { TRUSTED_PROXIES: '1' } });

beforeEach(() => harness.directory.database.pool.query('DELETE FROM oauth_artifact'));

const registerFrom = (address: string) =>
  send(`${harness.test.url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ redirect_uris: [redirectUri] }),
  });

/** Clients that are there without having been asked for. */
const fill = (count: number, network: string, secondsAgo: number) =>
  harness.directory.database.pool.query(
    `INSERT INTO oauth_artifact (hash, kind, environment, payload, created_at, expires_at, address, network)
     SELECT sha256((random()::text || n)::bytea), 'Client', 'test', '', $3::timestamptz - make_interval(secs => $4),
       $3::timestamptz + interval '1 day', '', $2
     FROM generate_series(1, $1::int) n`,
    [count, network, harness.clock.now(), secondsAgo],
  );
const waiting = async (): Promise<number> =>
  Number((await harness.directory.database.pool.query("SELECT count(*) FROM oauth_artifact WHERE kind = 'Client'")).rows[0].count);

it('takes 20 of an address in an hour, also at once', async () => {
  const replies = await Promise.all(Array.from({ length: 30 }, () => registerFrom('192.0.2.7')));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
  const refused = replies.find(({ status }) => status !== 201);
  expect([refused?.status, refused?.body.error]).toEqual([429, 'temporarily_unavailable']);
  expect(refused?.headers['retry-after']).toBe('3600');
  expect((await registerFrom('192.0.2.8')).status).toBe(201);
  harness.clock.advance(3_601);
  expect((await registerFrom('192.0.2.7')).status).toBe(201);
});

it('takes 100 of a network, a /24 or a /48', async () => {
  await fill(100, '198.51.100.0/24', 60);
  await fill(100, '2001:0db8:0001::/48', 60);
  expect((await registerFrom('198.51.100.9')).status).toBe(429);
  expect((await registerFrom('198.51.101.9')).status).toBe(201);
  expect((await registerFrom('2001:db8:1:ffff::1')).status).toBe(429);
  expect((await registerFrom('2001:db8:2::1')).status).toBe(201);
});

it('makes room for one more than 10,000 by the oldest that is older than ten minutes', async () => {
  await fill(10_000, '203.0.113.0/24', 599);
  expect((await registerFrom('192.0.2.1')).status).toBe(429);
  harness.clock.advance(2);
  expect((await registerFrom('192.0.2.1')).status).toBe(201);
  expect(await waiting()).toBe(10_000);
});

it('forgets a client without a grant after a day', async () => {
  const { body } = await registerFrom('192.0.2.1');
  const program = new Program(harness.test.url, body.client_id);
  expect((await new Browser().open(program.authorizeUrl())).status).toBe(303);
  harness.clock.advance(86_401);
  expect((await new Browser().open(program.authorizeUrl())).status).toBe(400);
  await sweepArtifacts(harness.directory);
  expect(await waiting()).toBe(0);
});
