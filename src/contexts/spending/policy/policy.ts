// Policies: rules for the spends of a workspace, an account, an agent or a wallet. Each change is a version, which stays readable by
// decisions (CONTRACT.md 6). What the rules say is in policy-rule.ts, what may be said in policy-reader.ts.
import { type Policy, Prisma } from '../../../generated/prisma/client.js';
import { noteOutcome } from '../../../platform/audit.js';
import type { Ctx } from '../../../platform/ctx.js';
import { invalidRequest, NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId, parseAnyId, printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import type { PolicyApproval, PolicyRule } from '../pipeline/rule-kind.js';
import { dropRulebook } from '../pipeline/rules-tag.js';
import type { CreatePolicyInput, UpdatePolicyInput } from './policy.input.js';
import { checkApprovers, type PolicyTerms, requirePersonToEnd, requirePersonToLoosen } from './policy-approver.js';
import { PolicyReader, refuseEmpty } from './policy-reader.js';
import { checkTarget, resolveIds } from './policy-reference.js';

/** Policies of a workspace, deleted ones not counted. */
export const mostPolicies = 100;

/** Makes a policy, which binds from the next spend on. 400 for rules that say nothing clear, 404 for ids that name nothing here. */
export async function createPolicy(ctx: Ctx, input: CreatePolicyInput): Promise<Policy> {
  const reader = new PolicyReader();
  const target = reader.target(input.target);
  const given = reader.rules(input.rules);
  const approval = input.approval == null ? null : reader.approval(input.approval);
  reader.finish();
  refuseEmpty(given, approval);
  const created = await transact(ctx, async (tx) => {
    await checkRoom(ctx, tx);
    await checkTarget(tx, target);
    await checkApprovers(ctx, tx, approval);
    const rules = await resolveIds(tx, given);
    const at = ctx.clock.now();
    const row = { id: newId(at), version: 1, ...stored({ rules, approval }) };
    await writeVersion(tx, row, at);
    const made = await tx.policy.create({
      data: { ...row, ...target, name: input.name, enabled: input.enabled ?? true, createdAt: at, updatedAt: at },
    });
    return toldOutcome(tx, made);
  });
  dropRulebook(ctx);
  return created;
}

// Gap G-102: Every real change makes a version and keeps its rules; a workspace has at most 100 policies (400).
/**
 * Changes a policy, whose target stays. What its rules have used stays too, as long as their kind, period and currency do. Refused as at
 * creation; a change of nothing makes no version.
 */
export async function updatePolicy(ctx: Ctx, input: UpdatePolicyInput & { id: string }): Promise<Policy> {
  const { id, name, enabled } = input;
  const reader = new PolicyReader();
  const given = input.rules == null ? undefined : reader.rules(input.rules);
  const approval = input.approval == null ? input.approval : reader.approval(input.approval);
  reader.finish();
  const changed = await transact(ctx, async (tx) => {
    const before = await lockRow(tx.policy, id, { where: { deletedAt: null } });
    if (name == null && given === undefined && approval === undefined && enabled == null) return before;
    const terms = {
      rules: given === undefined ? rulesOf(before) : await resolveIds(tx, given),
      approval: approval === undefined ? approvalRuleOf(before) : approval,
    };
    refuseEmpty(terms.rules, terms.approval);
    if (approval != null) await checkApprovers(ctx, tx, approval);
    requirePersonToLoosen(ctx, termsOf(before), { ...terms, enabled: enabled ?? before.enabled });
    const at = ctx.clock.now();
    const row = { version: before.version + 1, ...stored(terms) };
    await writeVersion(tx, { id, ...row }, at);
    const after = await tx.policy.update({
      where: rowKey(ctx, id),
      data: { ...row, ...(name != null && { name }), ...(enabled != null && { enabled }), updatedAt: at },
    });
    return toldOutcome(tx, after);
  });
  dropRulebook(ctx);
  return changed;
}

/** Ends a policy: it binds nothing any more. Decisions go on naming it. 403 for a program where the policy asks people. */
export function deletePolicy(ctx: Ctx, id: string): Promise<Policy> {
  return endPolicy(ctx, id, (policy) => requirePersonToEnd(ctx, policy));
}

/** Ends a policy with its sandbox, whoever resets it. */
export async function endPolicy(ctx: Ctx, id: string, check: (policy: Policy) => void = () => {}): Promise<Policy> {
  const deleted = await transact(ctx, async (tx) => {
    check(await lockRow(tx.policy, id, { where: { deletedAt: null } }));
    const at = ctx.clock.now();
    return toldOutcome(tx, await tx.policy.update({ where: rowKey(ctx, id), data: { deletedAt: at, updatedAt: at } }));
  });
  dropRulebook(ctx);
  return deleted;
}

/** The policy, or 404. `query` is the caller's selection. */
export async function policy(ctx: Ctx, id: string, query: object = {}): Promise<Policy> {
  const found = await ctx.db.policy.findFirst({ ...query, where: { id, deletedAt: null } });
  if (found === null) throw new NotFound();
  return found;
}

/** Policies, newest first. 400 for a target id that can be none. */
export const policies = listOf('policy', { where: { deletedAt: null } }, { targetId: (id: string) => ({ targetId: targetIdOf(id) }) });

/** Tells what a policy says in its version, but for its name, in the leaf of the change. */
function toldOutcome(tx: Tx, row: Policy): Policy {
  const { version, enabled, targetType, targetId } = row;
  noteOutcome(tx, {
    approval: approvalRuleOf(row),
    deleted: row.deletedAt !== null,
    enabled,
    id: printId('policy', row.id),
    rules: rulesOf(row),
    target: { id: targetId, type: targetType },
    version,
  });
  return row;
}

function termsOf(row: Policy): PolicyTerms {
  return { rules: rulesOf(row), approval: approvalRuleOf(row), enabled: row.enabled };
}

/** The rules of a policy, as they are shown. */
export function rulesOf({ rules }: Pick<Policy, 'rules'>): PolicyRule[] {
  return rules as unknown as PolicyRule[];
}

/** The approval of a policy, as it is shown. */
export function approvalRuleOf({ approval }: Pick<Policy, 'approval'>): PolicyApproval | null {
  return approval as unknown as PolicyApproval | null;
}

function targetIdOf(text: string): string {
  const id = parseAnyId(text);
  if (id === null) throw new ValidationFailed([{ path: ['targetId'], message: 'must be the id of an account, an agent or a wallet' }]);
  return id;
}

async function checkRoom({ workspace }: Ctx, tx: Tx): Promise<void> {
  // The workspace's row is the lock: two creations cannot both be the hundredth.
  await tx.workspace.updateMany({ where: { id: workspace.id }, data: { id: workspace.id } });
  const count = await tx.policy.count({ where: { deletedAt: null } });
  if (count < mostPolicies) return;
  throw invalidRequest(`A workspace has at most ${mostPolicies} policies: delete one first, or add rules to another.`, 'max');
}

function stored({ rules, approval }: Omit<PolicyTerms, 'enabled'>) {
  return {
    rules: rules as unknown as Prisma.InputJsonArray,
    approval: approval === null ? Prisma.DbNull : (approval as unknown as Prisma.InputJsonObject),
  };
}

async function writeVersion(
  tx: Tx,
  { id: policyId, version, rules, approval }: ReturnType<typeof stored> & { id: string; version: number },
  at: Date,
): Promise<void> {
  await tx.policyVersion.create({ data: { policyId, version, rules, approval, createdAt: at } });
}
