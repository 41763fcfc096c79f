// GET /openapi.json, /x402/openapi.json and /x402/{endpoint_id}/openapi.json: where clients that have an address alone find what they can
// pay for. The judge is the validator of mppx, which is not ours, and then its client.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { chainName } from '../../factories/chain.js';
import { challengesIn, ledgerClient, paidRequest } from '../../factories/mpp-call.js';
import { newBuyer, newEndpoint as newHiddenEndpoint } from '../../factories/x402.js';
import { type Client, type Json, nowhere, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
beforeEach(() => {
  // The official programs live in real time.
  harness.clock.set(new Date().toISOString());
  // A document lacks what was made less than a minute ago.
  harness.platform.cache.clear();
});

const newEndpoint = (client: Client, extra: object = {}) => newHiddenEndpoint(client, { discoverable: true, ...extra });
const patience = { timeout: 20_000 };
const read = (path: string, client: Client = harness.test, headers: Record<string, string> = {}) => client.get(path, { as: null, headers });
const pathsAt = async (path: string, client: Client = harness.test): Promise<Json> => (await read(path, client)).body.paths;

describe('a document', () => {
  it('200 has the discoverable doors, newest first, with the offers of every challenge', async () => {
    const hidden = await newHiddenEndpoint(harness.test);
    const onChain = await newEndpoint(harness.test, { network: chainName, description: 'Weather of today', method: 'POST' });
    const other = await newEndpoint(harness.other, { currency: 'USD', base_price: '2.50' });
    const answer = await read('/openapi.json');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    const { url } = harness.test;
    expect(answer.body).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Paid endpoints', version: '1.0.0' },
      servers: [{ url }],
      'x-service-info': { docs: { llms: `${url}/llms.txt` } },
    });
    const [newest, second] = Object.keys(answer.body.paths);
    expect([newest, second]).toEqual([`/x402/${other.id}`, `/x402/${onChain.id}`]);
    expect(Object.keys(answer.body.paths)).not.toContain(`/x402/${hidden.id}`);
    expect(answer.body.paths[`/x402/${onChain.id}`]).toEqual({
      post: {
        summary: 'Weather',
        description: 'Weather of today',
        'x-payment-info': {
          offers: [
            { intent: 'charge', method: 'evm', amount: '100000', currency: expect.stringMatching(/^0x/) },
            { intent: 'charge', method: 'ledger', amount: '100000', currency: 'usdc' },
          ],
        },
        requestBody: { required: false, content: { '*/*': {} } },
        responses: { 200: { description: 'Paid.' }, 402: { description: 'Payment Required' } },
      },
    });
    const { offers } = answer.body.paths[`/x402/${other.id}`].get['x-payment-info'];
    expect(offers).toEqual([{ intent: 'charge', method: 'ledger', amount: '250', currency: 'usd' }]);
    // As the 402 says it.
    const challenges = Object.values(challengesIn(await paidRequest(harness.test, onChain)));
    expect(challenges.map(({ method, intent }) => ({ method, intent }))).toEqual([
      { method: 'evm', intent: 'charge' },
      { method: 'ledger', intent: 'charge' },
    ]);
  });

  it('200 below /x402 has the same, with paths that begin there', async () => {
    await newEndpoint(harness.test, { method: 'ANY' });
    const [root, below] = [await read('/openapi.json'), await read('/x402/openapi.json')];
    expect(below.body.servers).toEqual([{ url: `${harness.test.url}/x402` }]);
    const moved = Object.entries(root.body.paths).map(([path, item]) => [path.slice('/x402'.length), item]);
    expect(below.body.paths).toEqual(Object.fromEntries(moved));
    expect(Object.keys(Object.values<Json>(below.body.paths)[0])).toEqual(['get', 'post', 'put', 'patch', 'delete']);
  });

  it('200 of one endpoint, discoverable or not; its path with a slash is the door', async () => {
    const [endpoint, buyer] = [await newHiddenEndpoint(harness.test), await newBuyer(harness.test)];
    const { body } = await read(`/x402/${endpoint.id}/openapi.json`);
    expect(body.servers).toEqual([{ url: `${harness.test.url}/x402/${endpoint.id}` }]);
    expect(Object.keys(body.paths)).toEqual(['/']);
    const [offer] = body.paths['/'].get['x-payment-info'].offers;
    expect(offer).toMatchObject({ method: 'ledger', amount: '100000' });
    const answer = await ledgerClient(buyer).fetch(`${body.servers[0].url}/`);
    expect([answer.status, await answer.json()]).toMatchObject([200, { paid: true, endpoint_id: endpoint.id }]);
  });

  it('200 says no amount for an upto endpoint', async () => {
    const { id } = await newEndpoint(harness.test, { scheme: 'upto' });
    expect((await pathsAt('/openapi.json'))[`/x402/${id}`].get['x-payment-info'].offers).toEqual([
      { intent: 'upto', method: 'x402', amount: null, currency: 'usdc' },
    ]);
  });

  it('200 follows an endpoint at once that changes its price, pauses or goes', async () => {
    const endpoint = await newEndpoint(harness.test);
    const path = `/x402/${endpoint.id}`;
    const amountIn = async () => (await pathsAt('/openapi.json'))[path]?.get['x-payment-info'].offers[0].amount;
    expect(await amountIn()).toBe('100000');
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.20' });
    await expect.poll(amountIn, patience).toBe('200000');
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { status: 'paused' });
    await expect.poll(amountIn, patience).toBeUndefined();
    expectRefused(await read(`${path}/openapi.json`), 409, 'state_conflict');
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { status: 'active', discoverable: false });
    expect(await amountIn()).toBeUndefined();
  });

  it('200 knows nothing of the other environment', async () => {
    const { id } = await newEndpoint(harness.test);
    expect(Object.keys(await pathsAt('/openapi.json', harness.live))).not.toContain(`/x402/${id}`);
    expectRefused(await read(`/x402/${id}/openapi.json`, harness.live), 404, 'not_found');
  });

  it('304 for who has it, until it changes', async () => {
    const { id } = await newEndpoint(harness.test);
    for (const path of ['/openapi.json', '/x402/openapi.json', `/x402/${id}/openapi.json`]) {
      const etag = (await read(path)).headers.get('etag') ?? '';
      const again = await fetch(harness.test.url + path, { headers: { 'If-None-Match': `"x", W/${etag}` } });
      expect([again.status, again.headers.get('etag'), await again.text()], path).toEqual([304, etag, '']);
      await harness.test.patch(`/v1/x402/endpoints/${id}`, { base_price: `0.${10 + path.length}` });
      const statusNow = async () => (await fetch(harness.test.url + path, { headers: { 'If-None-Match': etag } })).status;
      await expect.poll(statusNow, patience).toBe(200);
    }
  });

  it('404 for an endpoint that is none', async () => {
    for (const id of [nowhere, 'epd_x', 'x']) expectRefused(await read(`/x402/${id}/openapi.json`), 404, 'not_found');
  });
});

const program = fileURLToPath(new URL('../../../node_modules/mppx/dist/bin.js', import.meta.url));

/** What `mppx validate` reports of an address. It has no wallet, so it pays nothing and asks nobody else. */
async function validate(url: string): Promise<Json> {
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), CI: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'validate', url, '-j'], { env });
  return JSON.parse(stdout);
}

describe('`mppx validate`', () => {
  it('finds no failure and no warning, at the root, below /x402 and at a door, and its client pays what it found', async () => {
    const { body } = await read('/openapi.json');
    // Of other tests: a door is validated by eight requests.
    for (const path of Object.keys(body.paths)) {
      await harness.test.patch(`/v1/x402/endpoints/${path.slice('/x402/'.length)}`, { status: 'disabled' });
      await harness.other.patch(`/v1/x402/endpoints/${path.slice('/x402/'.length)}`, { status: 'disabled' });
    }
    harness.platform.cache.clear();
    const buyer = await newBuyer(harness.test);
    const endpoint = await newEndpoint(harness.test, { network: chainName, method: 'POST' });
    await newEndpoint(harness.test, { scheme: 'upto' });
    const doors = [
      ['', 2],
      ['/x402', 2],
      [`/x402/${endpoint.id}`, 1],
    ] as const;
    for (const [folder, count] of doors) {
      const report = await validate(harness.test.url + folder);
      const all = [...report.discovery.checks, ...report.endpoints.flatMap((one: Json) => [...one.challenge, ...one.errorHandling])];
      expect(
        all.filter(({ severity }: Json) => ['fail', 'warn'].includes(severity)),
        folder,
      ).toEqual([]);
      expect([report.discovery.found, report.endpoints.length, report.summary.failed, report.summary.warnings], folder).toEqual([
        true,
        count,
        0,
        0,
      ]);
      expect(all.map(({ label }: Json) => label)).toContain('Realm matches server hostname');
      const [found] = report.endpoints.filter(({ method }: Json) => method === 'POST');
      const answer = await ledgerClient(buyer).fetch(`${harness.test.url}${folder}${found?.path}`, { method: 'POST', body: '{}' });
      expect(answer.status, folder).toBe(200);
    }
    expect((await harness.test.get(`/v1/x402/payments?endpoint_id=${endpoint.id}`)).body.data).toHaveLength(3);
  }, 120_000);
});
