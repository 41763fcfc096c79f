// Hosts at which a merchant alone is seen, as tenants set them.
import { beforeAll, describe, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness({ env: { BASE_URL: 'https://pay.example.net', SANDBOX_URL: 'http://sandbox.example.net:8080' } });
let merchant: Json;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
});

const give = (hosts: unknown, { id } = merchant, client = harness.test) => client.patch(`/v1/merchants/${id}`, { shop_hosts: hosts });

describe('shop_hosts of PATCH /v1/merchants/{id}', () => {
  it('200: the hosts replace those of before, and are shown by both faces', async () => {
    expect(merchant.shop_hosts).toEqual([]);
    const { status, body } = await give(['first.shop.example', 'second.shop.example:8443']);
    expect(status).toBe(200);
    expect(body.data.shop_hosts).toEqual(['first.shop.example', 'second.shop.example:8443']);
    const query = `{ merchant(id: "${merchant.id}") { shopHosts } }`;
    expect((await harness.test.graphql(query)).body.data.merchant).toEqual({ shopHosts: body.data.shop_hosts });
    expect((await give(['second.shop.example:8443'])).body.data.shop_hosts).toEqual(['second.shop.example:8443']);
    expect((await harness.test.patch(`/v1/merchants/${merchant.id}`, { name: 'Pots' })).body.data.shop_hosts).toHaveLength(1);
    expect((await give([])).body.data.shop_hosts).toEqual([]);
  });
  it('takes names of other letters as they are asked for', async () => {
    expect((await give(['xn--mnchen-3ya.shop.example'])).status).toBe(200);
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ['a scheme', 'https://shop.example', 'without a scheme'],
    ['a user', 'ada@shop.example', 'without a user'],
    ['a path', 'shop.example/pots', 'without a path'],
    ['a query', 'shop.example?a=b', 'without a path'],
    ['capital letters', 'Shop.example', 'small letters: shop.example'],
    ['a dot at its end', 'shop.example.', 'no dot at its end'],
    ['a dot before its port', 'shop.example.:8443', 'no dot at its end'],
    ['other letters', 'münchen.example', 'in ASCII: xn--mnchen-3ya.example'],
    ['punycode that is none', 'xn--a.example', 'must be a host name'],
    ['the port of https', 'shop.example:443', 'write shop.example'],
    ['the port of http', 'shop.example:80', 'write shop.example'],
    ['a port that is none', 'shop.example:70000', 'must be a host name'],
    ['port 0', 'shop.example:0', 'must be a host name'],
    ['an address', '192.0.2.7', 'not an address'],
    ['an address with a port', '192.0.2.7:8080', 'not an address'],
    ['a short address', '127.1', 'not an address'],
    ['an address in hexadecimal', '0x7f000001', 'not an address'],
    ['an address of IPv6', '[::1]', 'not an address'],
    ['a bare address of IPv6', '::1', 'not an address'],
    ['one label', 'shop', 'must be a host name'],
    ['this machine', 'localhost:8090', 'must be a host name'],
    ['a name of this machine', 'shop.localhost', 'public name'],
    ['a name of a network', 'payments.default.svc.cluster.local', 'public name'],
    ['an empty label', 'shop..example', 'must be a host name'],
    ['an underscore', 'my_shop.example', 'must be a host name'],
    ['a space', 'shop .example', 'must be a host name'],
    ['nothing', '', 'must be a host name'],
    ['a label of 64 letters', `${'a'.repeat(64)}.example`, 'must be a host name'],
    ['our address', 'pay.example.net', 'the platform itself'],
    ['our address at another port', 'pay.example.net:9000', 'the platform itself'],
    ['the address of our sandbox', 'sandbox.example.net', 'the platform itself'],
  ];
  it.each(refused)('400: %s', async (_, host, message) => {
    const { status, body } = await give([host]);
    expect(status).toBe(400);
    expect(body.details.fields).toMatchObject([{ path: 'shop_hosts.0', message: expect.stringContaining(message) }]);
  });
  it('400: the same host twice, and more than 20', async () => {
    expect((await give(['a.shop.example', 'a.shop.example'])).body.details.fields).toMatchObject([{ path: 'shop_hosts.1' }]);
    expect((await give(Array.from({ length: 21 }, (_, at) => `s${at}.shop.example`))).status).toBe(400);
  });
  it('403 in production, but for a host that is taken away', async () => {
    const { merchant: own } = await newSeller(harness.live);
    const { status, body } = await give(['live.shop.example'], own, harness.live);
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'forbidden', details: { reason: 'shop_host_not_proved', terminal: true } });
    expect((await give([], own, harness.live)).status).toBe(200);
  });
  it('409: the host of another merchant, whoever has that, until it is given up', async () => {
    const { merchant: neighbour } = await newSeller(harness.test);
    const { merchant: stranger } = await newSeller(harness.other);
    expect((await give(['taken.shop.example'])).status).toBe(200);
    const own = await give(['taken.shop.example'], neighbour);
    const other = await give(['taken.shop.example'], stranger, harness.other);
    for (const { status, body } of [own, other]) {
      expect(status).toBe(409);
      expect(body).toMatchObject({ code: 'shop_host_taken', details: { host: 'taken.shop.example' } });
    }
    expect((await harness.other.get(`/v1/merchants/${stranger.id}`)).body.data.shop_hosts).toEqual([]);
    expect((await give([])).status).toBe(200);
    expect((await give(['taken.shop.example'], stranger, harness.other)).status).toBe(200);
  });
  it('gives a host to one of two that ask at once', async () => {
    const sellers = await Promise.all([harness.test, harness.other].map((client) => newSeller(client)));
    const [mine, theirs] = sellers.map((seller) => seller.merchant);
    const both = await Promise.all([give(['raced.shop.example'], mine), give(['raced.shop.example'], theirs, harness.other)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('shop_hosts of POST /v1/merchants', () => {
  it('201: a merchant with its host; 409 for that of another', async () => {
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Pots' });
    const body = { name: 'Pots', category: 'retail', account_id: account.id, shop_hosts: ['new.shop.example'] };
    expect((await harness.test.post('/v1/merchants', body)).body.data.shop_hosts).toEqual(['new.shop.example']);
    expect((await harness.test.post('/v1/merchants', body)).status).toBe(409);
  });
});
