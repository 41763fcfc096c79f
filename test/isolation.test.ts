// Nothing of another tenant or of the other environment can be seen, changed or linked to. Driven by the API document, so that
// an operation that is added is tested too.
import { type GraphQLScalarType, getNamedType, getNullableType, isCompositeType, isScalarType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { snakeCase } from '../src/platform/snake-case.js';
import { schema } from '../src/schema.js';
import { bodyOf, isFree, madeSeeds, storedSeeds } from './example.js';
import { type Answer, type Client, type Json, nowhere, useHarness } from './harness.js';
import { document } from './openapi.js';
import { exampleOf, membersOf, type Operation, operations, pathOf, type Route, type Seeds, seedOf, withMember } from './operation.js';
import { expectRefused, plain } from './refusal.js';
import { isSlow } from './slow.js';

const harness = useHarness();
let ours: Seeds;
let strangers: { whose: string; client: Client; seeds: Seeds }[];

beforeAll(async () => {
  const [own, theirs, live] = await Promise.all([
    madeSeeds(harness),
    storedSeeds(harness, harness.other),
    storedSeeds(harness, harness.live),
  ]);
  // What links to a transfer is about one that was paid.
  ours = { ...own, transfer: own['original_transfer'] ?? '' };
  strangers = [
    { whose: 'another tenant', client: harness.other, seeds: theirs },
    { whose: 'production', client: harness.live, seeds: live },
  ];
});

/**
 * Operations on single things. A rail, a network, a processor and an address are nobody's: whoever asks for one means his own. What a program
 * asks for is shown to people alone (test/contexts/connections).
 */
const aboutOne = () =>
  operations().filter(({ path, template }) => path.length > 0 && !/\{(rail|network|processor|address|uid)\}/.test(template));

const isPublic = ({ template, method }: Operation) => document.paths[template][method.toLowerCase()].security.length === 0;

/** Members belong to the tenant: its sandbox and its production have the same. */
const isOfTenant = (template: string) => /^\/v1\/(members|invitations)\b/.test(template);

/** The id that each parameter of a path gets from `seeds`. */
function idsIn(template: string, seeds: Seeds): Record<string, string> {
  const ids: Record<string, string> = {};
  pathOf(template, seeds, (name, seed) => {
    ids[name] = seed;
    return seed;
  });
  return ids;
}

function send(operation: Operation, path: string, body = bodyOf(operation, ours)): Promise<Answer> {
  return harness.test.call(operation.method, path, { body });
}

/** What two answers share that differ in what they were asked for and in what is random. */
const alike = ({ status, body }: Answer) => ({ status, code: body.code, members: Object.keys(body) });

/** What strangers see of their own things: every operation that reads one thing. */
async function portrait(): Promise<Json[]> {
  // A receipt is of a completed transfer alone.
  const reads = aboutOne().filter(({ method, id }) => method === 'GET' && id !== 'getTransferReceipt');
  const answers = strangers.map(({ client, seeds }) => Promise.all(reads.map(({ template }) => client.get(pathOf(template, seeds)))));
  return (await Promise.all(answers)).flat().map(({ status, body }) => {
    expect(status).toBe(200);
    return JSON.parse(
      JSON.stringify(body, (name, value) =>
        /(_used_at|^at|^leaf_hash|^leaf_index|^tree_size|^tree_head|^checkpoint|^inclusion_proof)$/.test(name) ? undefined : value,
      ),
    );
  });
}

/** Members of a body that name another object. */
function linksOf({ id, body }: Operation): { route: Route; schema: Json; name: string }[] {
  if (body === undefined) return [];
  return membersOf(body).flatMap(({ route, schema: member }) => {
    const name = String(route.at(-1));
    const isLink = !isFree(id, name) && Object.values(ours).includes(exampleOf(member, name, ours));
    return isLink ? [{ route, schema: member, name }] : [];
  });
}

/** A body that is complete but for `name`, which takes the place of what would contradict it. */
function baseOf(operation: Operation, name: string): Json {
  const base = bodyOf(operation, ours, name);
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
          if (whose === 'production' && isOfTenant(template)) continue;
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
      for (const { whose, seeds } of strangers) {
        if (whose === 'production' && isOfTenant(operation.template)) continue;
        expect((await send(operation, pathOf(operation.template, seeds))).status).toBe(404);
      }
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
    return ['DateTime', 'Cents'].includes(type.name) ? [] : [{ field: field.name, argument: argument.name, type }];
  });
  const ids = (field: string) => {
    const apart = strangers.filter(({ whose }) => whose !== 'production' || !['member', 'invitation'].includes(field));
    return [...new Set(apart.flatMap(({ seeds }) => Object.values(seeds)))];
  };
  /** True when the type of the argument takes the id: an id with the prefix of another noun it does not. */
  const takes = ({ type }: { type: GraphQLScalarType }, id: string) => {
    try {
      return type.parseValue(id) !== undefined;
    } catch {
      return false;
    }
  };

  /** What the id is of that a field asks for. By default a stranger's ids of it are tried, and an eighth of the others. */
  const nounOf = ({ field, argument }: (typeof fields)[number]) => (argument === 'id' ? `${snakeCase(field)}_id` : snakeCase(argument));

  async function ask({ field, argument, type }: (typeof fields)[number], id: string): Promise<object> {
    const { body } = await harness.test.graphql(`query ($id: ${type}!) { ${field}(${argument}: $id) { __typename } }`, { id });
    return { data: body.data, code: body.errors?.[0].extensions.code, message: body.errors?.[0].message };
  }

  it('there are such fields', () =>
    expect(fields.map(({ field }) => field)).toEqual(expect.arrayContaining(['account', 'wallet', 'transfer', 'agent'])));

  for (const [at, one] of fields.entries()) {
    it(`${one.field} answers as if there were none`, async () => {
      const missing = await ask(one, nowhere);
      expect(missing).toMatchObject(one.field === 'search' ? { data: { search: [] } } : { code: 'not_found' });
      const taken = ids(one.field).filter((id) => takes(one, id));
      expect(taken.length).toBeGreaterThan(strangers.length);
      const own = strangers.flatMap(({ seeds }) => seedOf(nounOf(one), seeds) ?? []);
      const isAsked = (id: string, index: number) => isSlow || own.length === 0 || own.includes(id) || index % 8 === at % 8;
      const asked = taken.filter(isAsked);
      // Some at a time: all at once are more than a machine with other work takes.
      for (let from = 0; from < asked.length; from += 20)
        for (const answer of await Promise.all(asked.slice(from, from + 20).map((id) => ask(one, id)))) expect(answer).toEqual(missing);
    });
  }

  const other = `zzz_${nowhere}`;
  const ofNouns = fields.filter((one) => !takes(one, other));
  for (const one of new Map(ofNouns.map((field) => [field.type.name, field])).values()) {
    it(`${one.type} takes no id with the prefix of another noun`, async () =>
      expect(await ask(one, other)).toMatchObject({ code: 'validation_failed' }));
  }
});
