// The command about the limits of a tenant's requests.
import { setOperatorRates } from '../contexts/identity/rate-limit.js';
import type { Environment, Platform, Workspace } from '../platform/ctx.js';
import { systemCtx } from '../platform/due/step.js';
import { limitsOf, type OperatorRates, rateNumbers } from '../platform/rate-limit.js';

/** What the limits of one half of a tenant are. */
export interface TenantLimits {
  environment: Environment;
  actor: number;
  workspace: number;
}

/** Changes the numbers of some halves of a tenant, and says what holds in them. */
export async function limitTenant(platform: Platform, workspaces: readonly Workspace[], rates: OperatorRates): Promise<TenantLimits[]> {
  const isChanged = Object.values(rates).some((rate) => rate !== undefined);
  const limits: TenantLimits[] = [];
  for (const workspace of workspaces) {
    if (isChanged) await setOperatorRates(systemCtx(platform, workspace, null), rates);
    const { environment } = workspace;
    const { actor, workspace: together } = rateNumbers('general', limitsOf(platform.config, environment).general, {
      ...workspace,
      ...rates,
    });
    limits.push({ environment, actor, workspace: together });
  }
  return limits;
}

/** The limits as lines. */
export function limitText(limits: readonly TenantLimits[]): string {
  return limits
    .map(({ environment, actor, workspace }) => `${environment}  ${actor} a minute for an actor, ${workspace} for all together`)
    .join('\n');
}
