// The rails as callers see them: the simulated ones of a sandbox, those of production with their switch, and to the operator what only who runs
// the platform sees.
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { Currency } from '../../platform/money.js';
import { railOf } from '../settlement/rail/rail.js';
import { isCardRail, knownRails } from '../transfers/rail.js';
import { serves } from './admission.js';
import { configuredRail } from './configured-rails.js';
import { dayOf } from './connector-order.js';
import { isOperator } from './operator.js';
import type { ConfiguredRail, RailBalance, RailLimits, RailProblem } from './rail-kind.js';
import { type OpenOrders, openOrdersOf, usedOfDay } from './rail-state.sql.js';
import { keptStanding } from './switch.js';

export type RailAvailability = 'on' | 'draining' | 'off' | 'not_configured' | 'simulated';

/** What only the operator sees. */
export interface RailWorks {
  health: { ok: boolean; since: Date | null; problems: readonly RailProblem[] };
  balances: readonly RailBalance[];
  usedToday: { amount: bigint; orders: number };
  open: OpenOrders;
  reason: string | null;
}

export interface RailInfo {
  rail: string;
  currency: Currency;
  kind: string | null;
  directions: readonly ('out' | 'in')[];
  status: RailAvailability;
  /** Minor units; null where nobody serves it. */
  fee: bigint | null;
  limits: RailLimits | null;
  expectedSeconds: number | null;
  network: string | null;
  works: RailWorks | null;
}

/** The rails that there are, by name. */
export async function railList(ctx: Ctx): Promise<RailInfo[]> {
  const names = Object.keys(knownRails(ctx)).sort();
  return Promise.all(names.map((name) => railInfo(ctx, name)));
}

/** One of them. 404 for a name that no rail has. */
export async function railInfo(ctx: Ctx, name: string): Promise<RailInfo> {
  const known = knownRails(ctx);
  const currency = Object.hasOwn(known, name) ? known[name] : undefined;
  if (currency === undefined) throw new NotFound();
  const directions = isCardRail(name) ? (['in'] as const) : (['out', 'in'] as const);
  const nobody = { rail: name, currency, directions, fee: null, limits: null, expectedSeconds: null, network: null, works: null };
  if (ctx.workspace.environment === 'test') {
    const rail = railOf(ctx, name);
    if (rail === undefined) return { ...nobody, kind: null, status: 'not_configured' };
    return { ...nobody, kind: 'simulated', status: 'simulated', fee: rail.fee, expectedSeconds: rail.latencySeconds };
  }
  const rail = configuredRail(ctx, name);
  if (rail === undefined || !serves(rail, ctx.workspace.id)) {
    const isShown = rail !== undefined && (await seesWorks(ctx));
    if (!isShown) return { ...nobody, kind: null, status: 'not_configured' };
  }
  return liveInfo(ctx, rail as ConfiguredRail);
}

/** Who runs the platform sees how its rails work. Its agents do not: money and orders of all tenants are no matter of theirs. */
async function seesWorks(ctx: Ctx): Promise<boolean> {
  return ctx.actor.type !== 'agent' && (await isOperator(ctx));
}

async function liveInfo(ctx: Ctx, rail: ConfiguredRail): Promise<RailInfo> {
  const standing = await keptStanding(ctx, rail.name);
  const { currency, kind, directions, fee, limits, expectedSeconds, network = null } = rail;
  const works = (await seesWorks(ctx)) ? await worksOf(ctx, rail) : null;
  return { rail: rail.name, currency, kind, directions, status: standing.status, fee, limits, expectedSeconds, network, works };
}

async function worksOf(ctx: Ctx, { name }: ConfiguredRail): Promise<RailWorks> {
  const { pool } = ctx.platform.database;
  const [{ problems, healthSince, balances, reason }, usedToday, open] = await Promise.all([
    keptStanding(ctx, name),
    usedOfDay(pool, name, dayOf(ctx.clock.now())),
    openOrdersOf(pool, name),
  ]);
  return { health: { ok: problems.length === 0, since: healthSince, problems }, balances, usedToday, open, reason };
}
