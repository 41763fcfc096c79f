// Whether a rail of production takes a new order: from this workspace, now, of this amount, for this place.
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import type { RailOrder } from '../settlement/rail/rail.js';
import { RailLimitExceeded, railUnavailable, type UnavailableReason } from '../transfers/rail.js';
import type { ConfiguredRail } from './rail-kind.js';
import { keptStanding } from './switch.js';

/** Throws 503 `rail_unavailable`, 422 `rail_limit_exceeded`, or 400 for a place that the rail never pays. */
export async function admit(
  ctx: Ctx,
  rail: ConfiguredRail,
  { amount, destination }: { amount: bigint; destination?: RailOrder['destination'] },
): Promise<void> {
  const reason = await refusalOf(ctx, rail);
  if (reason !== null) throw await railUnavailable(ctx, rail.name, reason);
  const { currency, limits } = rail;
  if (amount > limits.perOrder) {
    const [max, requested] = [formatMinor(limits.perOrder, currency), formatMinor(amount, currency)];
    throw new RailLimitExceeded(rail.name, { max, requested, currency });
  }
  if (destination !== undefined) rail.checkDestination({ destination });
}

/** Why the rail takes no order of a workspace; null where it takes them. */
export async function refusalOf(ctx: Ctx, rail: ConfiguredRail): Promise<UnavailableReason | null> {
  if (!serves(rail, ctx.workspace.id)) return 'not_for_workspace';
  const { status, problems } = await keptStanding(ctx, rail.name);
  if (status === 'off') return 'switched_off';
  if (status === 'draining') return 'draining';
  return problems.some(({ stops }) => stops) ? 'unhealthy' : null;
}

/** True for a workspace whose orders the rail takes. */
export function serves({ workspaces }: ConfiguredRail, workspaceId: string): boolean {
  return workspaces === 'all' || workspaces.includes(workspaceId);
}
