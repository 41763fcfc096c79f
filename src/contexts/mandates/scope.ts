// The scope of a mandate: limits, currency, and at which merchants it may be spent (SPEC.md "Mandate (AP2)", CONTRACT.md 7).
import type { Mandate } from '../../generated/prisma/client.js';
import { type FieldIssue, NotFound, ValidationFailed } from '../../platform/errors.js';
import { type Currency, formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import type { MandateScopeInput } from './mandate.input.js';

/** The members of a mandate's row that are its scope. */
export type MandateScope = Pick<
  Mandate,
  'currency' | 'maxPerTx' | 'maxPerDay' | 'maxPerMonth' | 'allowedCategories' | 'allowedMerchants' | 'blockedMerchants'
>;

// Gap G-210: Merchants must exist; a scope has 100 of each list; an empty list of what is allowed is 400.
/** Reads a scope. 400 for one without a limit, for limits that contradict each other, and for a list that allows nobody. */
export function parseMandateScope(input: MandateScopeInput, currency: Currency): MandateScope {
  const read = (member: 'maxPerTx' | 'maxPerDay' | 'maxPerMonth') =>
    input[member] == null ? null : parseMinor(input[member], currency, ['scope', member]);
  const scope: MandateScope = {
    currency,
    maxPerTx: read('maxPerTx'),
    maxPerDay: read('maxPerDay'),
    maxPerMonth: read('maxPerMonth'),
    allowedCategories: namesOf(input.allowedMerchantCategories),
    allowedMerchants: namesOf(input.allowedMerchants),
    blockedMerchants: namesOf(input.blockedMerchants),
  };
  const issues = [...limitIssues(scope), ...listIssues(input)];
  if (issues.length > 0) throw new ValidationFailed(issues);
  return scope;
}

/** Each of them once. */
function namesOf(names: readonly string[] | null | undefined): string[] {
  return [...new Set(names ?? [])];
}

function limitIssues({ maxPerTx, maxPerDay, maxPerMonth }: MandateScope): FieldIssue[] {
  const given = [
    ['maxPerTx', 'max_per_tx', maxPerTx],
    ['maxPerDay', 'max_per_day', maxPerDay],
    ['maxPerMonth', 'max_per_month', maxPerMonth],
  ] as const;
  const limits = given.flatMap(([member, name, amount]) => (amount === null ? [] : [{ member, name, amount }]));
  if (limits.length === 0) {
    return [{ path: ['scope'], message: 'needs one of max_per_tx, max_per_day and max_per_month', rule: 'required' }];
  }
  return limits.flatMap(({ member, amount }, index): FieldIssue[] => {
    const before = limits[index - 1];
    if (before === undefined || before.amount <= amount) return [];
    return [{ path: ['scope', member], message: `is less than ${before.name}`, rule: 'min' }];
  });
}

function listIssues({ allowedMerchantCategories, allowedMerchants }: MandateScopeInput): FieldIssue[] {
  const message = 'allows nobody: leave it out to allow all';
  return Object.entries({ allowedMerchantCategories, allowedMerchants })
    .filter(([, names]) => names?.length === 0)
    .map(([member]) => ({ path: ['scope', member], message, rule: 'min' }));
}

/** 404 for a merchant that is none of this workspace: a name that is not found would allow or block nobody. */
export async function checkMerchants(tx: Tx, { allowedMerchants, blockedMerchants }: MandateScope): Promise<void> {
  const named = [...allowedMerchants, ...blockedMerchants];
  if (named.length === 0) return;
  const found = await tx.merchant.findMany({ where: { id: { in: named } }, select: { id: true } });
  const known = new Set(found.map(({ id }) => id));
  if (allowedMerchants.some((id) => !known.has(id))) throw new NotFound('scope', 'allowedMerchants');
  if (blockedMerchants.some((id) => !known.has(id))) throw new NotFound('scope', 'blockedMerchants');
}

/** A scope as it is printed: in answers, events and the JWT. What was not said is left out. */
export function printScope(scope: MandateScope): Record<string, string | string[]> {
  const { currency, maxPerTx, maxPerDay, maxPerMonth, allowedCategories, allowedMerchants, blockedMerchants } = scope;
  const printed: Record<string, string | string[]> = {};
  if (maxPerTx !== null) printed['max_per_tx'] = formatMinor(maxPerTx, currency);
  if (maxPerDay !== null) printed['max_per_day'] = formatMinor(maxPerDay, currency);
  if (maxPerMonth !== null) printed['max_per_month'] = formatMinor(maxPerMonth, currency);
  printed['currency'] = currency;
  const merchants = (ids: readonly string[]) => ids.map((id) => printId('merchant', id));
  if (allowedCategories.length > 0) printed['allowed_merchant_categories'] = allowedCategories;
  if (allowedMerchants.length > 0) printed['allowed_merchants'] = merchants(allowedMerchants);
  if (blockedMerchants.length > 0) printed['blocked_merchants'] = merchants(blockedMerchants);
  return printed;
}
