// The people whom a policy asks: whether they are there, and who may ask less of them (CONTRACT.md 23, 29).
import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { parseMinor } from '../../../platform/money.js';
import { isPerson, PeopleOnly } from '../../../platform/person.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { deciders, votersOf } from '../../people/voter.sql.js';
import type { PolicyApproval, PolicyRule } from '../pipeline/rule-kind.js';

/** More than any policy asks for. */
const enough = 5;

// Gap G-497: Who could vote is active and has an authority, of any amount; a member of the list who was removed is 404.
/** 404 for a member who is none of this tenant, 400 for more votes than members could give. */
export async function checkApprovers({ workspace }: Ctx, tx: Tx, approval: PolicyApproval | null): Promise<void> {
  if (!approval?.approvers) return;
  const { count, memberIds } = approval.approvers;
  if (memberIds === null) {
    const { size } = await deciders(tx, workspace.tenantId, enough);
    refuseTooMany(count, size, 'of this tenant');
    return;
  }
  const members = await votersOf(tx, workspace.tenantId, memberIds);
  for (const [index, id] of memberIds.entries()) {
    if (members.get(id)?.isThere !== true) throw new NotFound('approval', 'approvers', 'memberIds', String(index));
  }
  const able = [...members.values()].filter(({ isActive, authority }) => isActive && authority !== null);
  refuseTooMany(count, able.length, 'of the list');
}

function refuseTooMany(count: number, able: number, whose: string): void {
  if (count <= able) return;
  const message = `is more than the members ${whose} that could vote, who are active and have an authority: ${able}`;
  throw new ValidationFailed([{ path: ['approval', 'approvers', 'count'], message, rule: 'max' }]);
}

/** What a policy says, as far as it binds. */
export interface PolicyTerms {
  rules: readonly PolicyRule[];
  approval: PolicyApproval | null;
  enabled: boolean;
}

/** 403 for a program that ends a policy which asks people. */
export function requirePersonToEnd(ctx: Ctx, { approval }: Pick<Policy, 'approval'>): void {
  if ((approval as unknown as PolicyApproval | null)?.approvers && !isPerson(ctx)) throw loosening();
}

/** 403 for a program that loosens a policy which asks people. To tighten it is anybody's who may write policies. */
export function requirePersonToLoosen(ctx: Ctx, before: PolicyTerms, after: PolicyTerms): void {
  if (before.approval?.approvers && !isPerson(ctx) && !isAsStrict(before, after)) throw loosening();
}

// Gap G-525: While a policy in force asks people, people alone set rates: another rate would let an amount pass below its threshold.
/** 403 for a program that sets rates where a policy in force asks people. */
export async function requirePersonForRates(ctx: Ctx, tx: Tx): Promise<void> {
  if (isPerson(ctx)) return;
  const policies = await tx.policy.findMany({ where: { enabled: true, deletedAt: null }, select: { approval: true } });
  if (!policies.some(({ approval }) => (approval as unknown as PolicyApproval | null)?.approvers)) return;
  throw new PeopleOnly(
    'A policy asks people from an amount on, and rates say how much that is: a member who may write policies sets them.',
  );
}

function loosening(): PeopleOnly {
  return new PeopleOnly('People decide by this policy, so people alone loosen or end it: a member who may write policies does.');
}

// Gap G-498: No loosening: fewer may spend (`enabled`, a lower threshold, more rules) or more have to vote; any other list loosens.
/** True where nothing that the policy refused, or asked people about, passes more easily. What cannot be compared counts as looser. */
function isAsStrict(before: PolicyTerms, after: PolicyTerms): boolean {
  if (before.enabled && !after.enabled) return false;
  const kept = after.rules.filter((rule) => before.rules.some((old) => isDeepStrictEqual(old, rule)));
  if (!before.rules.every((old) => kept.some((rule) => isDeepStrictEqual(old, rule)))) return false;
  const [was, is] = [before.approval, after.approval];
  if (was?.approvers === undefined || is?.approvers === undefined || is.currency !== was.currency) return false;
  const minor = ({ threshold, currency }: PolicyApproval) => parseMinor(threshold, currency, ['approval', 'threshold'], 0n);
  if (minor(is) > minor(was) || is.approvers.count < was.approvers.count) return false;
  return isDeepStrictEqual(new Set(is.approvers.memberIds), new Set(was.approvers.memberIds));
}
