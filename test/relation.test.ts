// Relations beside the ids that nouns show (CONTRACT.md 29): where they are, that they show no more than their own root, and that those of
// one level are read together.
import { type GraphQLType, getNamedType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../src/schema.js';
import { countQueries, enrol } from './contexts/agents/identity.js';
import { type Holder, mandateBody, newHolder } from './factories/mandate.js';
import { newEndpoint } from './factories/x402.js';
import { type Json, openWallet, useHarness } from './harness.js';

const harness = useHarness();

/** Ids without a relation: those of the object itself under another name. */
const without = ['X402Payment.paymentId'];

/** `agent` for `agentId`, `rates` for `rateIds`. */
const relationOf = (name: string) => name.replace(/yIds$/, 'ies').replace(/Ids$/, 's').replace(/Id$/, '');

describe('an id that a type shows', () => {
  it('has a relation beside it, where its noun has a root', () => {
    const roots = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) => args.some(({ name }) => name === 'id'));
    const kindOf = (type: GraphQLType) => (getNamedType(type) as { extensions?: { idKind?: unknown } }).extensions?.idKind;
    const kinds = new Set(
      roots.flatMap(({ name, type, args }) => {
        const id = args.find((argument) => argument.name === 'id');
        const noun = getNamedType(type);
        return id !== undefined && isObjectType(noun) && noun.getFields()['id'] !== undefined && !name.includes('Key')
          ? kindOf(id.type)
          : [];
      }),
    );
    expect(kinds.size).toBeGreaterThan(30);
    const missing = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((noun) => {
        const fields = noun.getFields();
        return Object.values(fields).flatMap(({ name, type }) => {
          const relation = fields[relationOf(name)];
          const isTold = relation !== undefined && isObjectType(getNamedType(relation.type));
          return name === 'id' || !/Ids?$/.test(name) || !kinds.has(kindOf(type)) || isTold ? [] : [`${noun.name}.${name}`];
        });
      });
    expect(missing.sort()).toEqual(without);
  });
});

describe('relations', () => {
  it('of one level are read together: a page of two costs as many queries as one of eight', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => enrol(harness.test)));
    for (const agent of [...agents, ...agents]) await harness.test.make('/v1/ap2/mandates', mandateBody(agent));
    const read = async (limit: number) => {
      let nodes: Json[] = [];
      const query = `{ mandates(limit: ${limit}) { nodes { agentId accountId agent { id name wallets { pagination { total } } } account { id name } } } }`;
      const count = await countQueries(harness.platform, async () => {
        nodes = (await harness.test.graphql(query)).body.data.mandates.nodes;
      });
      for (const { agentId, accountId, agent, account } of nodes) expect([agent.id, account.id]).toEqual([`agt_${agentId}`, accountId]);
      expect(nodes).toHaveLength(limit);
      return count;
    };
    await read(1);
    expect(await read(8)).toBe(await read(2));
  });

  it('of a table of 50 transfers with payer, payee, agent and merchant take at most 6 statements', async () => {
    const holder = await newHolder(harness.test, { max_per_day: '1000.00' });
    const other = await newHolder(harness.test);
    const pay = ({ wallet, token }: Holder) => {
      const body = { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: holder.merchant.settlement_wallet_id };
      return harness.test.make('/v1/transfers', { ...body, amount: '1.00', currency: 'USD' }, { as: token });
    };
    for (let count = 0; count < 40; count += 10) await Promise.all(Array.from({ length: 10 }, (_, at) => pay(at % 2 ? holder : other)));
    for (let count = 0; count < 10; count += 1) expect((await holder.spend('2.00')).status).toBe(201);
    const query = `{ transfers(limit: 50) { nodes { id fromAccountId toAccountId fromAccount { id name } toAccount { id name }
      fromWallet { id currency } agentId agent { id name } merchant { id name } mandateId mandate { id } decisionId decision { id } } } }`;
    const names = '{ transfers(limit: 50) { nodes { id fromAccount { name } toAccount { name } agent { name } merchant { name } } } }';
    let nodes: Json[] = [];
    const count = await countQueries(harness.platform, async () => {
      nodes = (await harness.test.graphql(names)).body.data.transfers.nodes;
    });
    expect(count).toBeLessThanOrEqual(6);
    expect(nodes).toHaveLength(50);
    for (const node of nodes) expect(node).toMatchObject({ fromAccount: { name: 'Ada' }, agent: { name: 'Agent' } });
    expect(nodes.filter(({ merchant }) => merchant !== null)).toHaveLength(10);
    const whole: Json[] = (await harness.test.graphql(query)).body.data.transfers.nodes;
    for (const { fromAccountId, toAccountId, fromAccount, toAccount, agentId, agent, mandateId, mandate, decisionId, decision } of whole) {
      expect([fromAccount.id, toAccount.id, agent.id]).toEqual([fromAccountId, toAccountId, `agt_${agentId}`]);
      expect([mandate?.id ?? null, decision?.id ?? null]).toEqual([mandateId, decisionId]);
    }
  });

  it('show an actor what their own root would, and null for the rest', async () => {
    const holder = await enrol(harness.test);
    const { id } = await harness.test.make('/v1/ap2/mandates', mandateBody(holder));
    const query = 'query ($id: MandateId!) { mandate(id: $id) { agent { id } account { id } } }';
    const seen = { agent: { id: holder.id }, account: { id: holder.account.id } };
    for (const as of [harness.test.key, holder.token])
      expect((await harness.test.graphql(query, { id }, { as })).body.data.mandate).toEqual(seen);

    const endpoint = await newEndpoint(harness.test, { discoverable: true });
    const named = 'query ($id: X402EndpointId!) { x402Endpoint(id: $id) { accountId account { id } receiverWallet { id } } }';
    const of = async (as: string) => (await harness.test.graphql(named, { id: endpoint.id }, { as })).body.data?.x402Endpoint;
    expect(await of(harness.test.key)).toEqual({
      accountId: endpoint.account_id,
      account: { id: endpoint.account_id },
      receiverWallet: { id: endpoint.receiver_wallet_id },
    });
    expect(await of(holder.token)).toEqual({ accountId: null, account: null, receiverWallet: null });
  });

  it('of a stream: the payee reads its own wallet, and not that of the payer', async () => {
    const payee = await enrol(harness.test, { wallet: { currency: 'USD' } });
    const { wallet } = await openWallet(harness.test, { funded: '10.00' });
    const stream = await harness.test.make('/v1/streams', {
      from_wallet_id: wallet.id,
      to_wallet_id: payee.agent.default_wallet_id,
      currency: 'USD',
      flow_rate: '0.01',
      initial_deposit: '5.00',
    });
    const query = 'query ($id: StreamId!) { stream(id: $id) { fromWallet { id } toWallet { id } agent { id } } }';
    const { body } = await harness.test.graphql(query, { id: stream.id }, { as: payee.token });
    expect(body.data.stream).toEqual({ fromWallet: null, toWallet: { id: payee.agent.default_wallet_id }, agent: null });
  });
});
