// Nothing of another tenant or of the other environment can be seen, changed or linked to. Driven by the API document, so that
// an operation that is added is tested too.
import { type GraphQLScalarType, getNamedType, getNullableType, isCompositeType, isScalarType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../src/schema.js';
import { unusedTrace } from './factories/budget.js';
import { cardBody } from './factories/card.js';
import { storedReference } from './factories/card-instruction.js';
import { checkoutExtras } from './factories/checkout.js';
import { inAMonth } from './factories/mandate.js';
import { pay } from './factories/payment.js';
import { rightDetails } from './factories/payout.js';
import { seedsOf } from './factories/seeds.js';
import { newRule, ruleBase } from './factories/settlement-rule.js';
import { streamBody } from './factories/stream.js';
import { x402Base } from './factories/x402.js';
import { type Answer, type Client, type Json, nowhere, openWallet, useHarness } from './harness.js';
import { document } from './openapi.js';
import { exampleOf, membersOf, type Operation, operations, pathOf, type Route, type Seeds, withMember } from './operation.js';
import { expectRefused, plain } from './refusal.js';

const harness = useHarness();
let ours: Seeds;
let strangers: { whose: string; client: Client; seeds: Seeds }[];

beforeAll(async () => {
  const [own, theirs, live] = await Promise.all([
    seedsOf(harness, harness.test),
    seedsOf(harness, harness.other),
    seedsOf(harness, harness.live),
  ]);
  await harness.test.make(`/v1/wallets/${own['wallet']}/fund`, { amount: '1000.00' });
  const { wallet: abroad } = await openWallet(harness.test, { currency: 'EUR' });
  const paid = await pay(harness.test, { id: own['wallet'], currency: 'USD' }, { id: own['to_wallet'] }, '10.00');
  const sides = [{ id: own['wallet'], currency: 'USD' }, { id: own['to_wallet'] }] as const;
  await newRule(harness.test, { id: own['wallet'] });
  const stream = await harness.test.make('/v1/streams', streamBody(...sides, { initial_deposit: '10.00' }));
  const { mandate_jwt } = (await harness.test.get(`/v1/ap2/mandates/${own['mandate']}`)).body.data;
  // A mandate pays somebody else's merchant, and the one of a path is the account's own.
  const shop = await harness.test.make('/v1/merchants', { name: 'Shop', category: 'retail', account_id: own['to_account'] });
  const purse = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: own['agent'], currency: 'USD' });
  await harness.test.make(`/v1/wallets/${purse.id}/fund`, { amount: '100.00' });
  // The network of a path is the segment behind `cards`.
  ours = {
    ...own,
    card: 'visa',
    network_ref: await storedReference(harness, own['agent'] ?? ''),
    wallet_abroad: abroad.id,
    transfer: paid.id,
    stream: stream.id,
    mandate_jwt,
    shop: shop.id,
    purse: purse.id,
  };
  strangers = [
    { whose: 'another tenant', client: harness.other, seeds: theirs },
    { whose: 'production', client: harness.live, seeds: live },
  ];
});

/** Operations on single things. A rail, a network, a processor and an address are nobody's: whoever asks for one means his own. */
const aboutOne = () =>
  operations().filter(({ path, template }) => path.length > 0 && !/\{(rail|network|processor|address)\}/.test(template));

const isPublic = ({ template, method }: Operation) => document.paths[template][method.toLowerCase()].security.length === 0;

/** The id that each parameter of a path gets from `seeds`. */
function idsIn(template: string, seeds: Seeds): Record<string, string> {
  const ids: Record<string, string> = {};
  pathOf(template, seeds, (name, seed) => {
    ids[name] = seed;
    return seed;
  });
  return ids;
}

function send(
  { id, method, body }: Operation,
  path: string,
  content = body === undefined ? undefined : { ...exampleOf(body, '', ours), ...checkoutExtras(id, ours) },
): Promise<Answer> {
  return harness.test.call(method, path, { body: content });
}

/** What two answers share that differ in what they were asked for and in what is random. */
const alike = ({ status, body }: Answer) => ({ status, code: body.code, members: Object.keys(body) });

/** What strangers see of their own things: every operation that reads one thing. */
async function portrait(): Promise<Json[]> {
  const reads = aboutOne().filter(({ method }) => method === 'GET');
  const answers = strangers.map(({ client, seeds }) => Promise.all(reads.map(({ template }) => client.get(pathOf(template, seeds)))));
  return (await Promise.all(answers)).flat().map(({ status, body }) => {
    expect(status).toBe(200);
    return JSON.parse(JSON.stringify(body, (name, value) => (/(_used_at|^at)$/.test(name) ? undefined : value)));
  });
}

/** Members of a body that name another object. */
function linksOf({ id, body }: Operation): { route: Route; schema: Json; name: string }[] {
  // Others look for them: a test event is about what its caller says, a batch has errors of items, a checkout is paid once, an agent
  // that nobody knows is an answer, and a task may be about a skill that nobody has (test/contexts).
  if (body === undefined || id === 'triggerEvent' || id === 'verifyCard' || id.endsWith('Batch')) return [];
  return membersOf(body).flatMap(({ route, schema: member }) => {
    const name = String(route.at(-1));
    const isLink =
      !(/^(mandate|x402_payment)_id$/.test(name) && id.endsWith('Checkout')) &&
      name !== 'skill_id' &&
      Object.values(ours).includes(exampleOf(member, name, ours));
    return isLink ? [{ route, schema: member, name }] : [];
  });
}

const unquoted = () => ({ from_wallet_id: ours['wallet'], to_wallet_id: ours['to_wallet'], amount: '1.00', currency: 'USD' });
const quoted = () => ({ type: 'cross_border', from_wallet_id: ours['wallet'], to_wallet_id: ours['wallet_abroad'] });

/** A task of our agent, which is paid where that is what it is about; given by its colleague where the agent is to work. */
function taskBase(name: string): Json {
  const isPaid = ['from_wallet_id', 'mandate_id'].includes(name);
  const mandate = name === 'mandate_id' ? { method: 'ap2', mandate_jwt: ours['mandate_jwt'] } : { method: 'wallet' };
  const from = name === 'to_agent_id' ? ours['colleague'] : ours['agent'];
  return { from_agent_id: from, skill_id: 'translate', ...(isPaid && { payment: { amount: '1.00', currency: 'USD', ...mandate } }) };
}

/** A body that is complete but for `name`, which takes the place of what would contradict it. */
function baseOf({ id, body }: Operation, name: string): Json {
  const base = exampleOf(body, '', ours);
  // It must not bind what the other operations spend.
  if (id === 'createBudget') base.scope = unusedTrace;
  if (id === 'createStream' || id === 'dryRunStream') Object.assign(base, { flow_rate: '0.01', initial_deposit: '1.00' });
  if (/^(create|dryRun)MppSession$/.test(id))
    Object.assign(base, { service_url: 'https://a.example.com', payee_wallet_id: ours['to_wallet'], deposit_amount: '1.00' });
  if (/^(pay|dryRunPay)Mpp$/.test(id))
    Object.assign(base, { service_url: 'https://a.example.com', payee_wallet_id: ours['to_wallet'], amount: '1.00' });
  if (/^(create|dryRun)Task$/.test(id)) Object.assign(base, taskBase(name));
  Object.assign(base, checkoutExtras(id, ours));
  if (id === 'createTransfer') Object.assign(base, name === 'quote_id' ? quoted() : unquoted());
  if (id === 'createTransfer' && name === 'mandate_id') base.mandate_jwt = ours['mandate_jwt'];
  if (id === 'createMandate') Object.assign(base, { scope: { max_per_tx: '1.00', currency: 'USD' }, expires_at: inAMonth });
  if (id === 'verifyMandate') base.mandate_jwt = ours['mandate_jwt'];
  if (id === 'executeMandate') {
    const money = { amount: '1.00', currency: 'USD', mandate_jwt: ours['mandate_jwt'] };
    Object.assign(base, money, { merchant_id: ours['shop'], from_wallet_id: ours['purse'] });
  }
  if (id === 'createBankAccount') Object.assign(base, { rail: 'ach', details: rightDetails['ach'] });
  if (id === 'createVaultedCard') Object.assign(base, cardBody(ours['account'] ?? ''));
  if (id === 'createCardInstruction') base.payload = { network_ref: ours['network_ref'] };
  if (id === 'createFundingTransaction') Object.assign(base, { provider: 'sandbox', type: 'sandbox' });
  if (id.includes('X402')) Object.assign(base, x402Base(id, name, ours));
  if (id === 'createPayout') base.destination = { type: 'bank', ref: ours['bank_account'] };
  if (id.endsWith('SettlementRule')) Object.assign(base, ruleBase(id, name, ours));
  delete base[name.replace('account', 'wallet')];
  return base;
}

describe('the id of a stranger’s object in a path', () => {
  const withPath = aboutOne();
  it('there are such operations, and every one can be asked for an object of its own', () => {
    expect(withPath.length).toBeGreaterThan(30);
    for (const { id, template } of withPath) for (const seed of Object.values(idsIn(template, ours))) expect(seed, id).not.toBe('none');
  });

  for (const operation of withPath) {
    it(`${operation.id} answers as if there were none`, async () => {
      const { template, path } = operation;
      for (const parameter of path) {
        const ask = (value: string | undefined) =>
          send(
            operation,
            pathOf(template, ours, (name, seed) => (name === parameter ? (value ?? '') : seed)),
          );
        const missing = await ask(nowhere);
        if (!isPublic(operation)) {
          expectRefused(missing, 404, 'not_found');
          for (const noId of ['x', `evt_${nowhere}`]) expect(plain(await ask(noId)), noId).toEqual(plain(missing));
        }
        for (const { whose, seeds } of strangers) {
          const answer = () => ask(idsIn(template, seeds)[parameter]);
          if (!isPublic(operation)) expect(plain(await answer()), whose).toEqual(plain(missing));
          // A public operation finds an agent of any tenant, but of its own environment alone.
          else if (whose === 'production') expect(alike(await answer())).toEqual(alike(missing));
        }
      }
    });
  }

  it('and nothing of theirs was changed', async () => {
    const before = await portrait();
    for (const operation of withPath.filter((one) => one.method !== 'GET' && !isPublic(one))) {
      for (const { seeds } of strangers) expect((await send(operation, pathOf(operation.template, seeds))).status).toBe(404);
    }
    expect(await portrait()).toEqual(before);
  });
});

describe('the id of a stranger’s object in a body', () => {
  for (const operation of operations()) {
    it(`${operation.id} links to nothing`, async () => {
      for (const { route, schema: member, name } of linksOf(operation)) {
        const at = pathOf(operation.template, ours);
        const ask = (value: unknown) => send(operation, at, withMember(baseOf(operation, name), operation.body, route, value, ours));
        const missing = await ask(nowhere);
        expectRefused(missing, 404, 'not_found', { fields: [{ path: route.join('.') }] });
        for (const { whose, seeds } of strangers) {
          expect(plain(await ask(exampleOf(member, name, seeds))), `${name} of ${whose}`).toEqual(plain(missing));
        }
        const own = await ask(exampleOf(member, name, ours));
        expect(own.status, `${name} of our own: ${JSON.stringify(own.body)}`).toBeLessThan(300);
      }
    });
  }

  it('there are such members', () => {
    const links = operations().flatMap((operation) => linksOf(operation).map(({ name }) => `${operation.id} ${name}`));
    expect(links).toEqual(
      expect.arrayContaining([
        'createTransfer from_wallet_id',
        'createTransfer to_account_id',
        'createTransfer agent_id',
        'createWallet owner_id',
        'createMerchant account_id',
        'updateMerchant settlement_wallet_id',
        'createAgent parent_account_id',
        'createBudget parent_id',
      ]),
    );
  });
});

describe('the id of a stranger’s object in a query', () => {
  for (const { id, method, template, query, path } of operations()) {
    const names = query.filter((name) => name.endsWith('_id'));
    if (names.length === 0 || path.length > 0) continue;
    it(`${id} finds nothing`, async () => {
      for (const name of names) {
        const ask = (value: string) => harness.test.call(method, `${template}?${name}=${value}`);
        const missing = await ask(nowhere);
        // A filter finds nothing; what names a thing that must be there is 404.
        expect(missing.body.data ?? missing.body.code).toEqual(missing.status === 404 ? 'not_found' : []);
        for (const { whose, seeds } of strangers) {
          expect(plain(await ask(exampleOf({ type: 'string' }, name, seeds))), `${name} of ${whose}`).toEqual(plain(missing));
        }
      }
    });
  }
});

describe('the id of a stranger’s object in GraphQL', () => {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field) => {
    const [argument, ...others] = field.args.filter(({ type }) => type !== getNullableType(type));
    const type = argument === undefined ? undefined : getNullableType(argument.type);
    if (argument === undefined || !isScalarType(type) || others.length > 0 || !isCompositeType(getNamedType(field.type))) return [];
    return [{ field: field.name, argument: argument.name, type }];
  });
  const ids = () => [...new Set(strangers.flatMap(({ seeds }) => Object.values(seeds)))];
  /** True when the type of the argument takes the id: an id with the prefix of another noun it does not. */
  const takes = ({ type }: { type: GraphQLScalarType }, id: string) => {
    try {
      return type.parseValue(id) !== undefined;
    } catch {
      return false;
    }
  };

  async function ask({ field, argument, type }: (typeof fields)[number], id: string): Promise<object> {
    const { body } = await harness.test.graphql(`query ($id: ${type}!) { ${field}(${argument}: $id) { __typename } }`, { id });
    return { data: body.data, code: body.errors?.[0].extensions.code, message: body.errors?.[0].message };
  }

  it('there are such fields', () =>
    expect(fields.map(({ field }) => field)).toEqual(expect.arrayContaining(['account', 'wallet', 'transfer', 'agent'])));

  for (const one of fields) {
    it(`${one.field} answers as if there were none`, async () => {
      const missing = await ask(one, nowhere);
      expect(missing).toMatchObject({ code: 'not_found' });
      const taken = ids().filter((id) => takes(one, id));
      expect(taken.length).toBeGreaterThan(strangers.length);
      for (const answer of await Promise.all(taken.map((id) => ask(one, id)))) expect(answer).toEqual(missing);
    });
  }

  const other = `zzz_${nowhere}`;
  const ofNouns = fields.filter((one) => !takes(one, other));
  for (const one of new Map(ofNouns.map((field) => [field.type.name, field])).values()) {
    it(`${one.type} takes no id with the prefix of another noun`, async () =>
      expect(await ask(one, other)).toMatchObject({ code: 'validation_failed' }));
  }
});
