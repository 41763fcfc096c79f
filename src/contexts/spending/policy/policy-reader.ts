// Reads what a policy is to say. Whatever could be meant in two ways, or would allow more than its author thinks, is refused with the
// member that says so (CONTRACT.md 6).
import type { z } from 'zod';
import type { PolicyTarget } from '../../../generated/prisma/client.js';
import { type FieldIssue, ValidationFailed } from '../../../platform/errors.js';
import { type Currency, formatMinor, parseMinor } from '../../../platform/money.js';
import { idKinds, parseId } from '../../../platform/schema/id.js';
import { zodRule } from '../../../platform/zod-words.js';
import { type Approvers, type PolicyApproval, type PolicyRule, type RuleKind, ruleKinds, ruleShapes } from '../pipeline/rule-kind.js';
import type { ApproversInput, PolicyApprovalInput, PolicyTargetInput } from './policy.input.js';
import type { PolicyRuleInput } from './policy-rule.input.js';

/** Whose spends a policy binds; the id is bare, and null for the whole workspace. */
export interface TargetRef {
  targetType: PolicyTarget;
  targetId: string | null;
}

export const defaultPolicyTimeoutSeconds = 3_600;

type Path = readonly (string | number)[];

/** What is wrong with a policy, collected rather than thrown one by one. */
export class PolicyReader {
  readonly #issues: FieldIssue[] = [];

  /** The rules, in the order in which they were given. Ids in them are still to be looked up. */
  rules(given: readonly PolicyRuleInput[]): PolicyRule[] {
    const seen = new Set<string>();
    return given.flatMap((input, index) => {
      const path = ['rules', index];
      const rule = this.#rule(input, path);
      if (rule === null) return [];
      const counter = counterOf(rule);
      if (counter !== null && seen.has(counter)) this.#add(path, `is the second rule for ${counter}`, 'unique');
      if (counter !== null) seen.add(counter);
      return [rule];
    });
  }

  approval({ threshold, currency, timeoutSeconds, approvers }: PolicyApprovalInput): PolicyApproval {
    return {
      threshold: this.#amount(threshold, currency, ['approval', 'threshold'], 0n),
      currency,
      timeoutSeconds: timeoutSeconds ?? defaultPolicyTimeoutSeconds,
      ...(approvers != null && { approvers: this.#approvers(approvers) }),
    };
  }

  /** Members are still to be looked up. */
  #approvers({ count, memberIds }: ApproversInput): Approvers {
    const path = ['approval', 'approvers', 'memberIds'];
    for (const [index, id] of (memberIds ?? []).entries()) {
      if (memberIds?.indexOf(id) !== index) this.#add([...path, index], 'is there twice: a member votes once', 'unique');
    }
    return { count: count ?? 1, memberIds: memberIds ?? null };
  }

  target({ type, id }: PolicyTargetInput): TargetRef {
    const path = ['target', 'id'];
    if (type === 'tenant') {
      if (id != null) this.#add(path, 'has no place here: the tenant is the whole workspace', 'unknown');
      return { targetType: type, targetId: null };
    }
    const targetId = id == null ? null : parseId(type, id);
    if (id == null) this.#add(path, `is required: which ${type}`, 'required');
    else if (targetId === null) this.#add(path, `must be a UUID, or one with the prefix ${idKinds[type].prefix}_`, 'type');
    return { targetType: type, targetId };
  }

  /** Throws 400 when anything was found. */
  finish(): void {
    if (this.#issues.length > 0) throw new ValidationFailed(this.#issues);
  }

  #rule(input: PolicyRuleInput, path: Path): PolicyRule | null {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value != null)) as PolicyRuleInput;
    const read = ruleShapes[given.kind].safeParse(given);
    if (!read.success) {
      this.#issues.push(...read.error.issues.flatMap((issue) => issuesOf(issue, given, path)));
      return null;
    }
    const rule: PolicyRule = read.data;
    if (rule.kind !== 'max_amount') return rule;
    return { ...rule, amount: this.#amount(rule.amount, rule.currency, [...path, 'amount']) };
  }

  /** An amount as it is printed. */
  #amount(text: string, currency: Currency, path: Path, least?: bigint): string {
    try {
      return formatMinor(parseMinor(text, currency, path, least), currency);
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      this.#issues.push(...(error.fields ?? []));
      return text;
    }
  }

  #add(path: Path, message: string, rule: string): void {
    this.#issues.push({ path, message, rule });
  }
}

/** 400 for a policy that would do nothing. */
export function refuseEmpty(rules: readonly unknown[], approval: unknown): void {
  if (rules.length > 0 || approval !== null) return;
  throw new ValidationFailed([
    { path: ['rules'], message: 'must not be empty without an approval: the policy would do nothing', rule: 'min' },
  ]);
}

/** What a rule counts, of which a policy has one of each kind; null for a rule that does not count. */
function counterOf(rule: PolicyRule): string | null {
  switch (rule.kind) {
    case 'max_amount':
      return `max_amount per ${rule.per} in ${rule.currency}`;
    case 'max_count':
      return `max_count per ${rule.per}`;
    case 'velocity':
      return `velocity over ${rule.seconds} seconds`;
    default:
      return null;
  }
}

function issuesOf(issue: z.core.$ZodIssue, given: PolicyRuleInput, path: Path): FieldIssue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: foreignMember(given), rule: 'unknown' }));
  const inner = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  const isMissing = inner.length === 1 && given[inner[0] as keyof PolicyRuleInput] === undefined && issue.code !== 'custom';
  const [message, rule] = isMissing ? ['is required', 'required'] : [issue.message, zodRule(issue)];
  return [{ path: [...path, ...inner], message, rule }];
}

const membersOf = (kind: RuleKind) => Object.keys(ruleShapes[kind].shape).filter((name) => name !== 'kind');

/** The sentence for a member that belongs to another kind of rule. */
function foreignMember(given: PolicyRuleInput): string {
  const meant = ruleKinds.find((kind) => Object.keys(given).every((name) => name in ruleShapes[kind].shape));
  const sentence = `is not a member of a ${given.kind} rule, which has ${membersOf(given.kind).join(', ')}`;
  return meant === undefined ? sentence : `${sentence}: did you mean the kind ${meant}?`;
}
