// graphql-jit and graphql-js must agree on every operation of the rest.graphql files: same data in, same answer out
// (ARCHITECTURE.md 3). The compiled one serves REST, the other serves /graphql. SLOW=1 compares all mutations.
import { beforeAll, describe, expect, it } from 'vitest';
import { usageListener } from '../src/contexts/usage/rollup.sql.js';
import { manifest } from '../src/contexts.js';
import { Listening } from '../src/events/listener.js';
import { publishEvents } from '../src/events/outbox.js';
import type { Ctx } from '../src/platform/ctx.js';
import { ApiError } from '../src/platform/errors.js';
import { createCtx } from '../src/platform/request.js';
import { snakeCase } from '../src/platform/snake-case.js';
import { compileExecutor, type Execute, executePlain, failureOf } from '../src/rest/execute.js';
import { inputReader } from '../src/rest/input.js';
import { Issues } from '../src/rest/issue.js';
import { compileRoutes, loadOperations, type Route } from '../src/rest/routes.js';
import { schema } from '../src/schema.js';
import { bodyOf, madeSeeds, namedOperations, prepare } from './example.js';
import { exampleOf } from './graphql-attack.js';
import { nowhere, useHarness } from './harness.js';
import { operations, type Seeds } from './operation.js';
import { saveWorld } from './saved-world.js';
import { isSlow } from './slow.js';

const h = useHarness();
const routes = compileRoutes(schema, loadOperations(new URL('../src/contexts', import.meta.url).pathname));
const executors: readonly [string, (route: Route) => Execute][] = [
  ['graphql-jit', (route) => compileExecutor(schema, route)],
  ['graphql-js', (route) => executePlain(schema, route)],
];

async function openCtx(): Promise<Ctx> {
  const resolver = manifest.credentials.find(({ prefix }) => prefix === 'pk_');
  if (resolver === undefined) throw new Error('nobody knows API keys');
  const identity = await resolver.resolve(h.platform, h.test.key, 'test');
  return createCtx(h.platform, identity, { requestId: 'req_executors', ip: '127.0.0.1' });
}

/** Required variables with the ids of `seeds`; what the operation gives as a default is left to it. */
function variablesOf({ variables }: Route, seeds: Seeds): Record<string, unknown> {
  return Object.fromEntries(
    variables.flatMap(({ name, type, required, source }) => (required || source === 'body' ? [[name, exampleOf(type, name, seeds)]] : [])),
  );
}

/** The data, or the failure as the caller would be told it. */
async function answerOf(execute: Execute, variables: Record<string, unknown>): Promise<unknown> {
  const { data, errors } = await execute(await openCtx(), variables);
  if (errors === undefined || errors.length === 0) return { data };
  const failure = failureOf(errors);
  if (!(failure instanceof ApiError)) throw failure;
  return { status: failure.status, code: failure.code, fields: failure.fields, details: failure.details };
}

const chance =
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|seed-[0-9a-f]{8}|(?<=^(pk_test|agent|sess|portal|whsec|svc-auth:v1|(acp|ucp)_chk_secret)_?).+|(?<=#evl_).+|^[A-Za-z0-9+/]{40,}={0,2}$|^eyJ.*/g;

/** A copy with every id, key and token that each run makes up replaced by its length. */
function withoutChance(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(chance, (random) => `<${random.length} by chance>`);
  if (Array.isArray(value)) return value.map(withoutChance);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name.startsWith('duration') ? typeof member : withoutChance(member)]),
  );
}

/** The operations of the API document, by method and path: a dry run is one of its operation. */
const documented = new Map(operations().map((operation) => [`${operation.method} ${operation.template}`, operation]));

/** Required variables, and the body with which the operation succeeds, when what has to come before it is done. */
async function preparedFor(route: Route, seeds: Seeds): Promise<Record<string, unknown>> {
  const variables = variablesOf(route, seeds);
  const operation = documented.get(`${route.method} ${route.path}`);
  if (operation === undefined) throw new Error(`${route.name} is not documented`);
  await prepare(route.name, h.test, seeds);
  const input = route.variables.find(({ source }) => source === 'body');
  if (input === undefined || operation.body === undefined) return variables;
  const issues = new Issues();
  const read = inputReader(input.type)(bodyOf(operation, seeds), issues);
  issues.throwIfAny();
  return { ...variables, [input.name]: read };
}

/** What people alone do, in the browser that a program has opened. */
const byPeople = new Set(['grantConnection', 'getConnectRequest', 'denyConnection']);
const named = (kind: Route['kind']) =>
  routes.filter((route) => route.kind === kind && !byPeople.has(route.name)).map((route) => [route.name, route] as const);
/** By default every fourth one is compared. A reset ends whatever those before it have left. */
const mutations = named('mutation').filter(([name], n) => name !== 'resetSandbox' && (isSlow || n % 4 === 0));

/** So many mutations share the objects that they are about. They stand far apart in the list: what follows would often miss what its
 * neighbour has ended. */
const sharing = 4;
const groups = Math.ceil(mutations.length / sharing);
const ending = /^(freeze|close|revoke|delete|end|cancel|suspend|reset|disconnect)/;
/** What ends things comes last. */
const groupOf = (at: number) =>
  mutations.filter((_, n) => n % groups === at % groups).sort(([one], [other]) => Number(ending.test(one)) - Number(ending.test(other)));

let seeds: Seeds;
let restore: () => Promise<void>;
beforeAll(async () => {
  seeds = await madeSeeds(h);
  restore = await saveWorld(h.platform);
});

/** What is seen when the mutations of a group are played, one after the other. */
interface Played {
  answers: Map<string, unknown>;
  /** Names under which the audit log has a line. */
  audited: Set<string>;
  /** Kinds of operations, with how many there are and how many of them the reports count. */
  counted: { category: string; operations: number; counted: number }[];
}

/** Plays a group on the same objects with each executor. */
async function play(group: typeof mutations): Promise<Played[]> {
  const worlds = [];
  for (const [, compile] of executors) {
    await restore();
    const answers = new Map<string, unknown>();
    for (const [name, route] of group) answers.set(name, withoutChance(await answerOf(compile(route), await preparedFor(route, seeds))));
    worlds.push({ answers, audited: await auditedNames(), counted: await countedOperations() });
  }
  return worlds;
}

async function auditedNames(): Promise<Set<string>> {
  const { rows } = await h.platform.database.pool.query<{ action: string }>('SELECT DISTINCT action FROM audit_entry');
  return new Set(rows.map(({ action }) => action));
}

async function countedOperations(): Promise<Played['counted']> {
  while ((await publishEvents(h.platform, manifest.followers)).more);
  await new Listening(h.platform, usageListener).drain();
  const { rows } = await h.platform.database.pool.query<Played['counted'][number]>(`
    SELECT o.category, count(*)::int AS operations, (SELECT coalesce(sum(r.operations), 0)::int FROM usage_rollup r
      WHERE r.owner_id = r.workspace_id AND r.size = 86400 AND r.category = o.category) AS counted
    FROM operation o GROUP BY 1`);
  return rows;
}

it('every query and mutation can be compiled', () => {
  for (const route of routes.filter(({ kind }) => kind !== 'subscription'))
    expect(compileExecutor(schema, route), route.name).toBeTypeOf('function');
});

it('examples name operations that there are', () => {
  const names = new Set(routes.map(({ name }) => name));
  expect(namedOperations.length).toBeGreaterThan(20);
  expect(namedOperations.filter((name) => !names.has(name))).toEqual([]);
});

describe('queries', () => {
  // No rail of production is configured here.
  it.each(named('query').filter(([name]) => name !== 'getRailProof'))('%s', async (_, route) => {
    const answers = [];
    // A receipt is of a completed transfer.
    const around = route.name === 'getTransferReceipt' ? { ...seeds, transfer: String(seeds['original_transfer']) } : seeds;
    for (const [, compile] of executors) answers.push(await answerOf(compile(route), variablesOf(route, around)));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toHaveProperty('data');
  });
});

/** They write nothing of anybody's. */
const changesNothing = new Set(['createChallenge', 'requestRecovery']);

describe('mutations', () => {
  const succeeded: string[] = [];
  const played = new Map<number, Promise<Played[]>>();
  const groupAt = (at: number) => {
    const group = at % groups;
    if (!played.has(group)) played.set(group, play(groupOf(at)));
    return played.get(group) as Promise<Played[]>;
  };

  it.each(mutations.map(([name], at) => [name, at] as const))('%s', async (name, at) => {
    const [one, other] = (await groupAt(at)).map(({ answers }) => answers.get(name));
    expect(one).toBeDefined();
    expect(one).toEqual(other);
    if (Object.hasOwn(one as object, 'data')) succeeded.push(name);
  });

  it('succeed for the most part, so that there was something to compare', () => {
    // What people alone may do is refused here, the same by both.
    expect(succeeded.length).toBeGreaterThan(mutations.length * 0.7);
  });

  it('leave a line in the audit log under their name, if they have changed anything', async () => {
    const silent: string[] = [];
    for (const [at, [name, { root, facts }]] of mutations.entries()) {
      if (!succeeded.includes(name) || facts.effect === 'none' || changesNothing.has(name)) continue;
      for (const { audited } of await groupAt(at)) {
        if (!audited.has(root.name)) silent.push(name);
        expect(audited).not.toContain('unnamed');
      }
    }
    expect(silent).toEqual([]);
  });

  it('leave operations, of any kind, that are counted in reports', async () => {
    const rows = (await Promise.all(played.values())).flat().flatMap(({ counted }) => counted);
    expect(new Set(rows.map(({ category }) => category)).size).toBeGreaterThan(5);
    expect(rows.filter(({ operations, counted }) => operations !== counted)).toEqual([]);
  });
});

describe('failures', () => {
  const strangers = () => Object.fromEntries(Object.keys(seeds).map((noun) => [snakeCase(noun), nowhere]));
  const about = routes.filter(({ variables, kind }) => kind !== 'subscription' && variables.some(({ source }) => source === 'path'));
  it.each(about.map((route) => [route.name, route] as const))('%s of what is not there', async (_, route) => {
    const answers = [];
    for (const [, compile] of executors) answers.push(withoutChance(await answerOf(compile(route), variablesOf(route, strangers()))));
    expect(answers[0]).toEqual(answers[1]);
  });
});
