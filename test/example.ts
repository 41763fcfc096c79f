// What the tests that try every operation need of the nouns of each context: test/contexts/<name>/example.ts says it, once. It is found there,
// and listed nowhere.
import { existsSync, readdirSync } from 'node:fs';
import { enrol, type TestAgent } from './contexts/agents/identity.js';
import { type Client, type Harness, type Json, openWallet } from './harness.js';
import { exampleOf, type Operation, type Seeds } from './operation.js';

/** Who owns what an example makes. */
export interface World {
  harness: Harness;
  client: Client;
  account: Json;
  /** In USD, of the account. */
  wallet: Json;
  /** Somebody else, to be paid. */
  payee: { account: Json; wallet: Json };
  /** Of the account. */
  agent: TestAgent;
}

/** What tests need of the nouns of a context. Objects have the names by which paths and ids call them, operations that of the API document. */
export interface Example {
  /** One object of each noun, in any environment: production has no faucet. */
  stored?(world: World): Promise<Seeds>;
  /** The same in a sandbox, where wallets have money; as `stored` by default. */
  made?(world: World): Promise<Seeds>;
  /**
   * What an operation is sent beside its required members, so that it succeeds. `member` is one that the test puts in itself, and so takes
   * the place of what would contradict it; empty where there is none.
   */
  bodies?: Readonly<Record<string, (made: Seeds, member: string) => object>>;
  /** What has to be done before an operation succeeds. */
  before?: Readonly<Record<string, (world: Pick<World, 'client'>, made: Seeds) => Promise<unknown>>>;
  /** Members of an operation that may name what is not there, or what is a stranger's. */
  free?: Readonly<Record<string, 'all' | readonly string[]>>;
}

const contexts = new URL('./contexts/', import.meta.url);
const files = readdirSync(contexts)
  .sort()
  .map((name) => new URL(`${name}/example.ts`, contexts).pathname);
const examples: Example[] = [];
for (const file of files.filter((name) => existsSync(name))) examples.push((await import(file)).example);

const [bodies, before, free] = [gathered('bodies'), gathered('before'), gathered('free')];

/** What all contexts say of operations, by their names. */
function gathered<Part extends 'bodies' | 'before' | 'free'>(part: Part): Required<Example>[Part] {
  return Object.assign({}, ...examples.map((example) => example[part]));
}

/** Every operation that an example names. */
export const namedOperations = [bodies, before, free].flatMap((of) => Object.keys(of));

async function seedsBy(way: 'stored' | 'made', harness: Harness, client: Client, money: { funded?: string }): Promise<Seeds> {
  const [{ account, wallet }, payee] = await Promise.all([openWallet(client, money), openWallet(client)]);
  const agent = await enrol(client, { parent_account_id: account.id });
  const seeds = {};
  for (const example of examples)
    Object.assign(seeds, await (example[way] ?? example.stored)?.({ harness, client, account, wallet, payee, agent }));
  return seeds;
}

/** One object of every noun, in any environment. */
export const storedSeeds = (harness: Harness, client: Client): Promise<Seeds> => seedsBy('stored', harness, client, {});

/** One object of every noun in the sandbox, on which every operation can be carried out. */
export const madeSeeds = (harness: Harness): Promise<Seeds> => seedsBy('made', harness, harness.test, { funded: '1000.00' });

/** A body with which an operation succeeds, but for `member`, which the test puts in. */
export function bodyOf({ id, body }: Operation, made: Seeds, member = ''): Json {
  return body === undefined ? undefined : { ...exampleOf(body, '', made), ...bodies[id]?.(made, member) };
}

/** Does what has to be done before an operation succeeds. */
export async function prepare(id: string, client: Client, made: Seeds): Promise<void> {
  await before[id]?.({ client }, made);
}

/** True for a member of an operation that may name what is not there. */
export function isFree(id: string, member: string): boolean {
  const members = free[id] ?? [];
  return members === 'all' || members.includes(member);
}
