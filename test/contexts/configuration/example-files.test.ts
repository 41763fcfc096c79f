// The files of examples/config: each is applied as it is, changes nothing the second time, and binds.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readConfigFile } from '../../../src/cli/config-file.js';
import { newVoter } from '../../factories/voter.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const fileOf = (name: string) => readConfigFile(readFileSync(new URL(`../../../examples/config/${name}.yaml`, import.meta.url), 'utf8'));

async function applyTwice(name: string): Promise<Json> {
  const { config, source } = fileOf(name);
  const answer = await harness.test.put('/v1/config', { config, source });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect((await harness.test.put('/v1/config', { config, source })).body.data.changes).toEqual([]);
  return answer.body.data;
}

it('gives an agent a purse', async () => {
  const account = await harness.test.make('/v1/accounts', { name: 'Acme', type: 'business' });
  const agent = await harness.test.make('/v1/agents', { name: 'researcher', parent_account_id: account.id });
  expect((await applyTwice('agent-with-a-purse')).changes).toHaveLength(3);
  const { budgets } = (await harness.test.get(`/v1/agents/${agent.id}/limits`)).body.data;
  expect(budgets).toMatchObject([{ name: 'Purse', amount: '20.00', remaining: '20.00' }]);
});

it('sets up a marketplace', async () => {
  for (const reference of ['sellers', 'house']) {
    const { id } = await harness.test.make('/v1/accounts', { name: reference, type: 'business', customer_reference: reference });
    for (const currency of ['USD', 'USDC']) await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: id, currency });
  }
  const { made } = await applyTwice('marketplace');
  expect(made.map(({ kind }: Json) => kind)).toEqual(['rates', 'settlement.windows', 'settlement.rules', 'webhooks', 'x402_endpoints']);
});

it('lets a careful company ask two people', async () => {
  await newVoter(harness);
  await newVoter(harness);
  const shop = await harness.test.make('/v1/accounts', { name: 'Books', type: 'business' });
  await harness.test.make('/v1/merchants', { name: 'Bookshop', category: 'books', account_id: shop.id });
  await applyTwice('careful-company');
  // A program may not ask less of people, by file neither.
  const { config, source } = fileOf('careful-company');
  const { policies, ...others } = config as { policies: Json[] };
  const [first, ...rest] = policies;
  const loosened = { ...others, policies: [{ ...first, approval: { ...first.approval, approvers: { count: 1 } } }, ...rest] };
  const answer = await harness.test.put('/v1/config', { config: loosened, source });
  expect(answer).toMatchObject({ status: 403, body: { details: { config: { kind: 'policies', name: 'Two people above a thousand' } } } });
  const gone = await harness.test.put('/v1/config', { config: {}, source, prune: true });
  expect(gone.status).toBe(403);
});
