// The official clients connect with an address and nothing else: both generations of the SDK find the authorization server, register, send a
// browser, get their tokens, work, refresh, and learn that they were revoked.
import { randomUUID } from 'node:crypto';
import { Client as NextClient, StreamableHTTPClientTransport as NextTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { join, type Person } from '../people/browser.js';
import { allow, Browser, redirectUri } from './program.js';

const harness = useHarness();
let person: Person;
let payer: Awaited<ReturnType<typeof openWallet>>;
let shop: Json;

beforeAll(async () => {
  person = await join(harness, 'owner');
  payer = await openWallet(harness.test, { funded: '500.00' });
  shop = await openWallet(harness.test, { name: 'Shop' });
});

/** What a client keeps of its sign-in, and the browser that it sends away. */
class Keeper {
  readonly browser = new Browser();
  readonly redirectUrl = redirectUri;
  readonly clientMetadata = { client_name: 'Official', redirect_uris: [redirectUri] };
  sentTo: URL | undefined;
  #client: Json;
  #tokens: Json;
  #verifier = '';

  state = () => 'its-state';
  clientInformation = () => this.#client;
  saveClientInformation = (client: Json) => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: Json) => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  invalidateCredentials = (what: string) => {
    if (what === 'tokens' || what === 'all') this.#tokens = undefined;
    if (what === 'client' || what === 'all') this.#client = undefined;
  };
}

/** What both generations have in common, as far as it is used. */
interface AnyTransport {
  finishAuth(answer: never, iss?: string): Promise<void>;
}
interface AnyClient {
  connect(transport: never): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Json }): Promise<Json>;
  close(): Promise<void>;
}

const generations: [string, (keeper: Keeper) => AnyTransport, () => AnyClient, (answer: URLSearchParams) => unknown][] = [
  [
    'sdk 1.x',
    (keeper) => new StreamableHTTPClientTransport(new URL(`${harness.test.url}/mcp`), { authProvider: keeper as never }) as never,
    () => new Client({ name: 'test', version: '1' }) as never,
    (answer) => answer.get('code'),
  ],
  [
    'client 2.x',
    (keeper) => new NextTransport(new URL(`${harness.test.url}/mcp`), { authProvider: keeper as never }) as never,
    () => new NextClient({ name: 'test', version: '1' }) as never,
    (answer) => answer,
  ],
  [
    'client 2.x by the revision of 2026-07-28',
    (keeper) => new NextTransport(new URL(`${harness.test.url}/mcp`), { authProvider: keeper as never }) as never,
    () => new NextClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } }) as never,
    (answer) => answer,
  ],
];

describe.each(generations)('%s', (_, open, create, answerOf) => {
  it('connects, pays 5 of 20, is refused 16, refreshes, and is revoked', async () => {
    const keeper = new Keeper();
    const agent = await harness.test.make('/v1/agents', {
      parent_account_id: payer.account.id,
      name: 'Buyer',
      wallet: { currency: 'USD' },
    });
    const [wallet] = (await harness.test.get(`/v1/wallets?owner_type=agent&owner_id=${agent.id}`)).body.data;
    const fill = { type: 'internal', from_wallet_id: payer.wallet.id, to_wallet_id: wallet.id, amount: '50.00', currency: 'USD' };
    await harness.test.make('/v1/transfers', fill);
    // It knows an address, and is sent to a person.
    const first = open(keeper);
    await expect(create().connect(first as never)).rejects.toThrow();
    const page = await keeper.browser.open(String(keeper.sentTo));
    const uid = String(page.headers['location']).split('/').at(-1);
    const { body } = await allow(person, keeper.browser, String(uid), { agent_id: agent.id });
    const back = await keeper.browser.open(body.data.redirect_to);
    const answer = new URL(String(back.headers['location'])).searchParams;
    expect(answer.get('state')).toBe('its-state');
    await first.finishAuth(answerOf(answer) as never);
    const client = create();
    await client.connect(open(keeper) as never);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('pay');
    const pay = (amount: string) =>
      client.callTool({
        name: 'pay',
        arguments: { from_wallet_id: wallet.id, to_wallet_id: shop.wallet.id, currency: 'USD', amount, idempotency_key: randomUUID() },
      });
    expect((await pay('5.00')).structuredContent).toMatchObject({ data: { status: 'completed' } });
    const refused = await pay('16.00');
    expect([refused.isError, JSON.parse(refused.content[0].text).code]).toEqual([true, 'budget_exceeded']);
    // Its token is over: it gets another one by itself.
    const before = keeper.tokens().access_token;
    harness.clock.advance(901);
    expect((await pay('1.00')).structuredContent).toMatchObject({ data: { status: 'completed' } });
    expect(keeper.tokens().access_token).not.toBe(before);
    await harness.test.delete(`/v1/connections/${body.data.connection.id}`);
    keeper.sentTo = undefined;
    await expect(pay('1.00')).rejects.toThrow();
    // It begins again, by asking the person.
    expect(String(keeper.sentTo)).toContain(`${harness.test.url}/oauth/authorize?`);
    await client.close();
  });
});
