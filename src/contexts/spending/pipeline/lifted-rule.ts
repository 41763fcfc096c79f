// Which rules an approval lifts: those that asked for it, as they stood then. A rule of a policy is named by its place, where another one
// may stand by the time the approval is given.
import { printId } from '../../../platform/schema/id.js';
import type { RulesInForce } from './rules-in-force.js';

/**
 * The rules that require an approval as it keeps them: with the version of their policy or budget, `pol_....rules.0@3`. The policies that
 * ask people are named beside, in any version: `pol_...`.
 */
export function liftedBy(
  requirements: readonly { ruleId: string }[],
  rules: RulesInForce,
  askingPeople: readonly { policyId: string }[] = [],
): string[] {
  const versions = versionsOf(rules);
  const policies = askingPeople.map(({ policyId }) => printId('policy', policyId));
  return [...new Set([...requirements.map(({ ruleId }) => nameAt(ruleId, versions)), ...policies])];
}

const isPolicy = (name: string) => /^pol_[^.@]+$/.test(name);

// Gap G-143: An approval lifts the rules that asked, in the version that asked; a limit in a currency without a rate is never lifted.
/** Of the rules that an approval has lifted, the ids of those that have not been changed since. */
export function stillLifted(lifted: readonly string[], rules: RulesInForce): string[] {
  const versions = versionsOf(rules);
  return lifted.flatMap((name) => {
    if (isPolicy(name)) return [name];
    const [ruleId = ''] = name.split('@');
    return name === nameAt(ruleId, versions) ? [ruleId] : [];
  });
}

function nameAt(ruleId: string, versions: ReadonlyMap<string, number>): string {
  const version = versions.get(/^(?:pol|bud)_([^.]+)/.exec(ruleId)?.[1] ?? '');
  return version === undefined ? ruleId : `${ruleId}@${version}`;
}

function versionsOf({ policies, budgets }: RulesInForce): Map<string, number> {
  return new Map([...policies, ...budgets].map(({ id, version }) => [id, version]));
}
