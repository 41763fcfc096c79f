// What a portal token may see: nothing of another customer, from whatever root and through whatever relation it asks (CONTRACT.md 18).
import { beforeAll, describe, expect, it } from 'vitest';
import { isPublicField } from '../src/http/root-field.js';
import { schema } from '../src/schema.js';
import { enrol } from './contexts/agents/identity.js';
import { markedCustomer, word } from './factories/marked.js';
import { readAll, walker } from './factories/marked-walk.js';
import { useHarness } from './harness.js';
import type { Seeds } from './operation.js';
import { walksOf } from './schema-walk.js';

const harness = useHarness();
/** A walk is a few hundred documents. */
const patience = { timeout: 300_000 };

/** A customer of the tenant with whom the token has nothing to do, and one that has paid and was paid. */
let foreign: Seeds;
let partner: Seeds;
beforeAll(async () => {
  foreign = await markedCustomer(harness, harness.test);
  partner = await markedCustomer(harness, harness.test);
});

describe('a portal token', patience, () => {
  const scopes = ['usage:read', 'transfers:read', 'agents:read'];
  const tokenOf = async (customer_reference: string) =>
    (await harness.test.make('/v1/portal-tokens', { customer_reference, scopes })).token as string;

  it('finds no mark of another customer, with whatever ids it asks, over GraphQL and REST', async () => {
    const client = harness.test;
    const account = await client.make('/v1/accounts', { type: 'business', name: 'Bo', customer_reference: 'bo' });
    const { agent: payer } = await enrol(client, { parent_account_id: account.id, wallet: { currency: 'USD' } });
    const wallet = payer.default_wallet_id;
    await client.make(`/v1/wallets/${wallet}/fund`, { amount: '100.00' });
    const pay = (from: string, to: string) =>
      client.make('/v1/transfers', { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: '1.00', currency: 'USD' });
    const { id: paid } = await pay(wallet, partner['wallet'] as string);
    const { id: got } = await pay(partner['wallet'] as string, wallet);
    const mine: Seeds = { account: account.id, agent: payer.id.slice('agt_'.length), wallet, transfer: paid };
    const token = await tokenOf('bo');
    const walk = walker('query', token, harness.test, foreign);
    const { leaks, types } = await walk(mine);
    expect(leaks).toEqual([]);
    expect([...types]).toEqual(expect.arrayContaining(['Agent', 'Transfer', 'Entry']));
    for (const seeds of [foreign, { ...partner, transfer: got }]) {
      expect((await walk({ ...mine, ...seeds })).leaks).toEqual([]);
    }
    expect(await readAll(token, harness.test, { ...mine, ...foreign }, foreign)).toEqual([]);
  });

  it('finds those of its own customer, so that the walks would see a leak', async () => {
    const roots = ['agent', 'agents', 'transfer', 'transfers', 'transferEntries'];
    const { leaks } = await walker('query', await tokenOf(word), harness.test, foreign, roots)(foreign);
    expect(leaks).toEqual(expect.arrayContaining(roots.map((root) => expect.stringContaining(`query ${root}: `))));
  });

  it('changes nothing', async () => {
    const token = await tokenOf(word);
    // Whatever is selected below it, a root is refused as a whole: one document of each is enough.
    const documents = new Map(walksOf(schema, 'mutation', foreign).map(({ root, document }) => [root, document]));
    for (const [root, document] of documents) {
      const { status, body } = await harness.test.graphql(document, {}, { as: token });
      const definition = schema.getMutationType()?.getFields()[root];
      if (!isPublicField({ name: root, definition }))
        expect([root, status, body.errors?.[0]?.extensions.code]).toEqual([root, 403, 'insufficient_scope']);
    }
  });
});
