// What a policy names has to be there: a blocked id with a slip in it would block nothing, and tell nobody.
import { NotFound } from '../../../platform/errors.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { type IdKind, parseAnyId, printId } from '../../../platform/schema/id.js';
import type { PolicyRule } from '../pipeline/rule-kind.js';
import type { TargetRef } from './policy-reader.js';

type Read = Pick<Tx, 'account' | 'agent' | 'wallet' | 'merchant'>;
type Named = Extract<IdKind, 'account' | 'agent' | 'wallet' | 'merchant'>;

/** 404 `not_found` for a target that is not of this workspace. */
export async function checkTarget(tx: Read, { targetType, targetId }: TargetRef): Promise<void> {
  if (targetType === 'tenant' || targetId === null) return;
  const known = await idsOf(tx, targetType, [targetId]);
  if (known.length === 0) throw new NotFound('target', 'id');
}

/**
 * The rules with every id as it is printed, each name once. 404 `not_found` for an id that names nothing in this workspace, with the
 * member that does.
 */
export async function resolveIds(tx: Read, rules: readonly PolicyRule[]): Promise<PolicyRule[]> {
  const [merchants, counterparties] = await Promise.all([
    printedIds(tx, ['merchant'], namesOf(rules, 'merchants')),
    printedIds(tx, ['account', 'agent', 'wallet'], namesOf(rules, 'counterparties')),
  ]);
  return rules.map((rule, index): PolicyRule => {
    switch (rule.kind) {
      case 'merchants':
        return withLists(rule, (name, list, at) => found(merchants, name, index, list, at));
      case 'counterparties':
        return withLists(rule, (name, list, at) => found(counterparties, name, index, list, at));
      case 'categories':
        return withLists(rule, (name) => name);
      case 'protocols':
        return { ...rule, allow: [...new Set(rule.allow)] };
      default:
        return rule;
    }
  });
}

type Lists = Extract<PolicyRule, { kind: 'merchants' | 'categories' | 'counterparties' }>;

function namesOf(rules: readonly PolicyRule[], kind: Lists['kind']): string[] {
  return rules.flatMap((rule) => (rule.kind === kind ? [...((rule as Lists).allow ?? []), ...((rule as Lists).block ?? [])] : []));
}

function withLists<Rule extends Lists>(rule: Rule, print: (name: string, list: 'allow' | 'block', at: number) => string): Rule {
  const printed = (list: 'allow' | 'block') => {
    const names = rule[list];
    return names === undefined ? {} : { [list]: [...new Set(names.map((name, at) => print(name, list, at)))] };
  };
  return { ...rule, ...printed('allow'), ...printed('block') };
}

/** What the name stands for; a prefix that is another kind's names nothing. */
function found(printed: ReadonlyMap<string, string>, name: string, rule: number, list: string, at: number): string {
  const known = printed.get(parseAnyId(name) ?? '');
  if (known === undefined || (name.includes('_') && name !== known)) throw new NotFound('rules', String(rule), list, String(at));
  return known;
}

/** The printed form of those among the names that are there, by bare id. */
async function printedIds(tx: Read, kinds: readonly Named[], names: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(names.flatMap((name) => parseAnyId(name) ?? []))];
  if (ids.length === 0) return new Map();
  const known = await Promise.all(kinds.map(async (kind) => (await idsOf(tx, kind, ids)).map((id) => [id, printId(kind, id)] as const)));
  return new Map(known.flat());
}

async function idsOf(tx: Read, kind: Named, ids: readonly string[]): Promise<string[]> {
  const query = { where: { id: { in: [...ids] } }, select: { id: true } };
  const rows = await {
    account: () => tx.account.findMany(query),
    agent: () => tx.agent.findMany(query),
    wallet: () => tx.wallet.findMany(query),
    merchant: () => tx.merchant.findMany(query),
  }[kind]();
  return rows.map(({ id }) => id);
}
