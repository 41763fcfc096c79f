// How a workspace stands with card networks and processors, and the public directories of the keys of agents.
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { thumbprintOf } from '../../factories/bot-identity.js';
import { cardBody, charge, newBuyer } from '../../factories/card.js';
import { type Answer, type Client, type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const directory = '/.well-known/http-message-signatures-directory';

describe('GET /v1/cards/networks', () => {
  it('200: enrolled at once in the sandbox, and not in production', async () => {
    const [visa, mastercard] = (await harness.test.get('/v1/cards/networks')).body.data;
    expect(visa).toMatchObject({
      network: 'visa',
      program: 'Trusted Agent Protocol',
      status: 'enrolled',
      environment: 'test',
      capabilities: ['verify', 'authorize', 'cancel', 'refund'],
      key_directory_url: expect.stringMatching(directory),
      enrolled_at: expect.stringMatching(/Z$/),
    });
    expect(mastercard).toMatchObject({ network: 'mastercard', status: 'enrolled' });
    const live = (await harness.live.get('/v1/cards/networks')).body.data;
    expect(live).toMatchObject([{ status: 'not_enrolled', enrolled_at: null, capabilities: [] }, { status: 'not_enrolled' }]);
    expectRefused(await harness.test.get('/v1/cards/networks', { as: null }), 401, 'missing_credential');
  });
});

describe('payment handlers', () => {
  const path = '/v1/payment-handlers';
  const listed = async () => (await harness.test.get(path)).body.data.map(({ processor }: Json) => processor);

  it('200: the one of the sandbox is connected at once; ended, it vaults and charges nothing until it is connected again', async () => {
    const buyer = await newBuyer(harness.test);
    expect(await listed()).toEqual(['simulated']);
    const ended = await harness.test.delete(`${path}/simulated`);
    expect([ended.status, ended.body.data]).toEqual([200, { id: 'simulated', deleted: true }]);
    expect(await listed()).toEqual([]);
    const connect = { next_actions: [expect.objectContaining({ rel: 'connect', path: `${path}/connect?processor=simulated` })] };
    expectRefused(await harness.test.post('/v1/cards/vault', cardBody(buyer.card.account_id)), 409, 'state_conflict', connect);
    await expect(charge(harness, buyer)).rejects.toMatchObject({ status: 409, details: connect });
    const { status, body } = await harness.test.get(`${path}/connect?processor=simulated`);
    expect([status, body.data]).toMatchObject([
      200,
      { processor: 'simulated', status: 'connected', authorize_url: null, state: null, expires_at: null },
    ]);
    expect(await listed()).toEqual(['simulated']);
    await charge(harness, buyer);
    expect((await harness.test.get(`${path}/connect?processor=simulated`)).body).toEqual(body);
  });

  it('400, 401, 403, 404', async () => {
    const agent = await enrol(harness.test);
    expectRefused(await harness.test.get(`${path}/connect?processor=stripe`), 400, 'validation_failed', {
      fields: [{ path: 'processor' }],
    });
    expectRefused(await harness.live.get(`${path}/connect?processor=simulated`), 400, 'validation_failed');
    expectRefused(await harness.test.get(`${path}/connect`), 400, 'validation_failed');
    expectRefused(await harness.test.get(path, { as: null }), 401, 'missing_credential');
    expectRefused(await harness.test.get(`${path}/connect?processor=simulated`, { as: agent.token }), 403, 'forbidden');
    expectRefused(await harness.test.delete(`${path}/stripe`), 404, 'not_found');
  });
});

describe('GET /.well-known/http-message-signatures-directory', () => {
  const read = (client: Client, path = directory): Promise<Answer> => client.get(path, { as: null });
  const kids = ({ body }: Answer): string[] => body.keys.map(({ kid }: Json) => kid);

  it('200: has the keys of agents that count, of its environment alone, and says nothing of whose they are', async () => {
    const agent = await enrol(harness.test);
    const other = await enrol(harness.other);
    const live = await enrol(harness.live);
    const own = thumbprintOf(agent);
    const answer = await read(harness.test);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/http-message-signatures-directory+json');
    expect(kids(answer)).toEqual(expect.arrayContaining([own, thumbprintOf(other)]));
    expect(kids(answer)).not.toContain(thumbprintOf(live));
    const x = Buffer.from(agent.privateKey, 'base64').subarray(32).toString('base64url');
    expect(answer.body.keys.find(({ kid }: Json) => kid === own)).toEqual({ kty: 'OKP', crv: 'Ed25519', kid: own, x, use: 'sig' });
    const path = `${directory}/${agent.id}`;
    expect(kids(await read(harness.test, path))[0]).toBe(own);
    await harness.test.post(`/v1/agents/${agent.id}/suspend`, {});
    expect(kids(await read(harness.test))).not.toContain(own);
    expectRefused(await read(harness.test, path), 404, 'not_found');
    await harness.test.post(`/v1/agents/${agent.id}/activate`, {});
    const { body } = await harness.test.post(`/v1/agents/${agent.id}/auth-keys/rotate`, { reason: 'lost' });
    const rotated = thumbprintOf({ privateKey: body.privateKey ?? body.authKey?.privateKey ?? body.data?.privateKey });
    expect(kids(await read(harness.test))).toContain(rotated);
    expect(kids(await read(harness.test))).not.toContain(own);
    await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`);
    expect(kids(await read(harness.test))).not.toContain(rotated);
    expectRefused(await read(harness.live, `${directory}/${other.id}`), 404, 'not_found');
  });

  it.each(['as it is', 'evil.example'])(
    '200: is signed for this listener and no other, by a key that is in it (Host: %s)',
    async (named) => {
      const agent = await enrol(harness.test);
      const url = `${harness.test.url}${directory}/${agent.id}`;
      const host = named === 'as it is' ? new URL(url).host : named;
      const [answer] = await once(get(url, { headers: { host } }), 'response');
      const text = await textOf(answer);
      const [digest, input, signature] = ['content-digest', 'signature-input', 'signature'].map((name) => answer.headers[name] ?? '');
      expect(digest).toBe(`sha-256=:${createHash('sha256').update(text).digest('base64')}:`);
      const parameters = input?.replace(/^platform=/, '') ?? '';
      expect(parameters).toMatch(
        /^\("@authority";req "content-digest"\);created=\d+;expires=\d+;keyid="[\w-]{43}";.*tag="http-message-signatures-directory"$/,
      );
      const keys: JsonWebKey[] = JSON.parse(text).keys;
      const key = keys.find(({ kid }) => parameters.includes(`keyid="${kid}"`)) as JsonWebKey;
      const base = `"@authority";req: ${new URL(url).host}\n"content-digest": ${digest}\n"@signature-params": ${parameters}`;
      const bytes = Buffer.from(signature?.replace(/^platform=:(.*):$/, '$1') ?? '', 'base64');
      const by = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
      expect([verify('sha256', Buffer.from(base), by, bytes), verify('sha256', Buffer.from(`${base} `), by, bytes)]).toEqual([true, false]);
      const { keys: platform } = (await harness.test.get('/.well-known/jwks.json', { as: null })).body;
      expect(platform.map(({ kid }: Json) => kid)).toContain(key.kid);
    },
  );

  it('304: a reader that has the keys; any page of the web may read them', async () => {
    const agent = await enrol(harness.test);
    const own = `${directory}/${agent.id}`;
    const first = await read(harness.test, own);
    const etag = first.headers.get('etag') ?? '';
    expect([etag, first.headers.get('access-control-allow-origin')]).toEqual([expect.stringMatching(/^W\/"/), '*']);
    const again = (tag: string) => harness.test.get(own, { as: null, headers: { 'If-None-Match': tag } });
    expect([(await again(etag)).status, (await again(`"x", ${etag.slice(2)}`)).status, (await again('"x"')).status]).toEqual([
      304, 304, 200,
    ]);
    await harness.test.post(`/v1/agents/${agent.id}/auth-keys/rotate`, { reason: 'lost' });
    expect((await again(etag)).status).toBe(200);
  });

  it('200: pages follow each other to the last key; 400 for a page that is none', async () => {
    const agents = [await enrol(harness.test), await enrol(harness.test), await enrol(harness.test)];
    const all = await read(harness.test);
    const xs: string[] = all.body.keys.slice(0, -1).map(({ x }: Json) => x);
    expect(all.headers.get('link')).toBeNull();
    const from = xs[xs.length - 2];
    expect((await read(harness.test, `${directory}?after=${from}`)).body.keys.slice(0, -1).map(({ x }: Json) => x)).toEqual(xs.slice(-1));
    expect(new Set(kids(all)).size).toBe(kids(all).length);
    for (const agent of agents) expect(kids(all)).toContain(thumbprintOf(agent));
    for (const query of ['after=x', 'after=', 'page=2', `after=${from}&after=${from}`]) {
      const { status } = await read(harness.test, `${directory}?${query}`);
      expect([query, status]).toEqual([query, query === 'after=' ? 200 : 400]);
    }
  });
});
