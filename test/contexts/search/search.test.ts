// search of GraphQL: ids of every noun, references, names and e-mail addresses.
import { expect, it } from 'vitest';
import { newAccount, pay, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

async function search(text: string, options = {}): Promise<Json> {
  const query = 'query ($text: String!) { search(text: $text) { type id name status transferId } }';
  return (await harness.test.graphql(query, { text }, options)).body;
}
const found = async (text: string): Promise<Json[]> => (await search(text)).data.search;

it('finds by id, by reference, and by how a name or an address begins', async () => {
  const account = await newAccount(harness.test, { name: 'Globex 100%_Trade', email: 'Pay@globex.example', customer_reference: 'C-4711' });
  const agent = await enrol(harness.test, { parent_account_id: account.id, name: 'Globex buyer' });
  const { from, to } = await twoWallets(harness.test);
  const paid = await pay(harness.test, from, to, '4.00', { reference: 'INV-2026-17' });
  const refund = await harness.test.make('/v1/refunds', { original_transfer_id: paid.id, reason: 'customer_request' });
  const transfer = { type: 'transfer', id: paid.id, name: null, status: 'completed', transferId: paid.id };
  expect(await found(paid.id)).toEqual([transfer]);
  expect(await found(' INV-2026-17 ')).toEqual([transfer]);
  expect(await found(refund.id)).toEqual([{ type: 'refund', id: refund.id, name: null, status: 'completed', transferId: paid.id }]);
  const holder = { type: 'account', id: account.id, name: 'Globex 100%_Trade', status: 'active', transferId: null };
  expect(await found('pay@GLOBEX')).toEqual([holder]);
  expect(await found('C-4711')).toEqual([holder]);
  expect((await found('globex')).map(({ type, id }) => [type, id])).toEqual([
    ['agent', agent.id],
    ['account', account.id],
  ]);
  expect(await found('globex 100%_')).toEqual([holder]);
  expect(await found('globex 1%')).toEqual([]);
  expect(await found('0198c2f0-0000-7000-8000-000000000000')).toEqual([]);
});

it('finds nothing of other tenants, no credentials, and is closed to agents', async () => {
  const account = await newAccount(harness.test, { name: 'Initech' });
  const query = `{ search(text: "${account.id}") { id } byName: search(text: "Initech") { id } }`;
  expect((await harness.other.graphql(query)).body.data).toEqual({ search: [], byName: [] });
  const key = await harness.test.make('/v1/api-keys', { name: 'Initech key', environment: 'test' });
  expect(await found(key.id)).toEqual([]);
  const agent = await enrol(harness.test, { parent_account_id: account.id });
  expect((await search('Initech', { as: agent.token })).errors[0].extensions.code).toBe('forbidden');
});
