// Scopes hold in depth (CONTRACT.md 22): with one scope alone every type is walked from every root that the scope opens, and nothing stands
// there that the root of its own noun would not show to the same scope.
import { type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { admissionOf } from '../src/platform/schema/audience.js';
import { covers, type Scope, scopes } from '../src/platform/scope.js';
import { schema } from '../src/schema.js';
import { madeSeeds } from './example.js';
import { markOf, markRows } from './factories/scope-marks.js';
import { type Json, useHarness } from './harness.js';
import type { Seeds } from './operation.js';
import { type Walk, walksOf } from './schema-walk.js';
import { isSlow } from './slow.js';

const harness = useHarness({ checkLedger: false });
let seeds: Seeds;
let resources: string[];
const walks: Record<'query' | 'mutation', Walk[]> = { query: [], mutation: [] };

beforeAll(async () => {
  seeds = await madeSeeds(harness);
  resources = await markRows(harness.platform);
  for (const kind of ['query', 'mutation'] as const) walks[kind] = walksOf(schema, kind, seeds);
}, 300_000);

const rootsOf = { query: schema.getQueryType(), mutation: schema.getMutationType() };
const rootOf = (kind: 'query' | 'mutation', name: string) => rootsOf[kind]?.getFields()[name] as GraphQLField<unknown, unknown>;

/** The scopes of the root queries that show a type. */
const needed = new Map<string, Scope[]>();
for (const field of Object.values(rootsOf.query?.getFields() ?? {})) {
  const { scope } = admissionOf(field);
  const named = getNamedType(field.type) as GraphQLObjectType;
  const shown = named.name.endsWith('Page') ? getNamedType(named.getFields()['nodes']?.type ?? named) : named;
  if (scope !== 'self' && isObjectType(shown)) needed.set(shown.name, [...(needed.get(shown.name) ?? []), scope]);
}

/** What carries texts of others by its nature: events what they are about, and the log of changes what was asked for. */
const carriesAll: readonly Scope[] = ['webhooks:read', 'webhooks:write', 'audit:read'];

/** Changes that return what they have made or changed, which is another noun than the one that their scope is named after (see G-462). */
const returns: Readonly<Record<string, readonly string[]>> = {
  freezeWallet: ['Wallet', 'Balance'],
  unfreezeWallet: ['Wallet', 'Balance'],
  freezeAgent: ['Agent'],
  unfreezeAgent: ['Agent'],
  suspendAgent: ['Agent'],
  activateAgent: ['Agent'],
  freezeSpending: ['Spending'],
  fundWallet: ['Transfer'],
  wrapWallet: ['Transfer'],
  unwrapWallet: ['Transfer'],
  settleTransfer: ['Transfer'],
  returnPayout: ['Payout'],
  refundAcpCheckout: ['Refund'],
  refundUcpCheckout: ['Refund'],
};
/** A dry run shows the decision, which is all that it is for. */
const returnedBy = (root: string) => returns[root] ?? (root.startsWith('dryRun') ? ['Decision'] : undefined);

/** They are refused more than the caller has. */
const givesScopes = new Set(['createApiKey', 'rollApiKey', 'createPortalToken']);

/** One walk in eight, other ones for each scope: what a root shows is asked again and again. */
const isInTurn = (scope: Scope, index: number) => isSlow || index % 8 === scopes.indexOf(scope) % 8;
const hasReader = (scope: Scope) => scopes.includes(scope.replace(':write', ':read') as Scope);
/** A scope to write reads what the one to read does, which is tried whole. */
const isTried = (kind: 'query' | 'mutation', scope: Scope, index: number) =>
  kind === 'mutation' || scope.endsWith(':read') || !hasReader(scope) || isInTurn(scope, index);

/** Sends the walks that one scope opens; what came back that it does not open. */
async function beyond(kind: 'query' | 'mutation', scope: Scope): Promise<string[]> {
  const { key } = await harness.test.make('/v1/api-keys', { name: scope, scopes: [scope] });
  const open = walks[kind].filter(({ root }, index) => {
    const asked = admissionOf(rootOf(kind, root));
    if (asked.audience === 'public') return false;
    return asked.scope === 'self'
      ? kind === 'query' && isInTurn(scope, index)
      : covers([scope], asked.scope) && isTried(kind, scope, index);
  });
  const found: string[] = [];
  for (const { root, document } of open) {
    const { body } = await harness.test.graphql(document, {}, { as: key });
    const code = body.errors?.find(({ extensions }: Json) => ['insufficient_scope', 'internal_error'].includes(extensions.code));
    if (code !== undefined && !givesScopes.has(root)) found.push(`${root} answers ${code.extensions.code} ${code.message}`);
    const text = JSON.stringify(body.data ?? {});
    const own = kind === 'mutation' ? returnedBy(root) : undefined;
    for (const [, type = ''] of text.matchAll(/"__typename":"(\w+)"/g)) {
      const by = needed.get(type);
      if (by !== undefined && !own?.includes(type) && !by.some((one) => covers([scope], one))) found.push(`${root} shows ${type}`);
    }
    if (carriesAll.includes(scope) || own !== undefined) continue;
    for (const resource of resources) {
      // A payment by MPP is a transfer, and shows the text of it.
      const isOpen = covers([scope], `${resource}:read`) || (root === 'mppPayment' && resource === 'transfers');
      const at = text.indexOf(markOf(resource));
      if (!isOpen && at >= 0) found.push(`${root} shows a text of ${resource}: ${text.slice(Math.max(0, at - 200), at + 20)}`);
    }
  }
  return [...new Set(found)];
}

describe('a key with one scope alone', { timeout: 120_000 }, () => {
  it('is tried with texts of every noun', () => {
    expect(resources).toEqual(expect.arrayContaining(['accounts', 'agents', 'transfers', 'policies', 'settlement', 'x402']));
  });

  for (const scope of scopes) {
    it(`${scope} reads no more than it opens`, async () => expect(await beyond('query', scope)).toEqual([]));
  }
});

// Last: they change what is walked.
describe('the changes that one scope alone makes', { timeout: 120_000 }, () => {
  for (const scope of scopes.filter((one) => !one.endsWith(':read'))) {
    it(`${scope} return no more than it opens`, async () => expect(await beyond('mutation', scope)).toEqual([]));
  }
});
