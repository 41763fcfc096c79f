// Who brings money in, by which rails and from where: a table of the code (CONTRACT.md 12). A provider is active where its rails are
// connected: those of the sandbox are simulated, and production has none yet.
import type { FundingType } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { type Rail, railOf } from '../settlement/rail/rail.js';
import { RailUnavailable, railCurrencies } from '../transfers/rail.js';
import { FundingUnsupported } from './errors.js';

interface Row {
  provider: string;
  /** Countries (ISO 3166), EU, or GLOBAL. */
  regions: readonly string[];
  /** The rails of each type; the sandbox has none and makes its money itself. */
  rails: Partial<Record<FundingType, readonly string[]>>;
}

// Gap G-167: Funding providers are a table of the code; an unknown one is 400, a type or currency it does not bring is 422.
const table: readonly Row[] = [
  { provider: 'sandbox', regions: ['GLOBAL'], rails: { sandbox: [] } },
  { provider: 'simulated-us', regions: ['US'], rails: { card: ['card-simulated-us'], bank_transfer: ['ach'] } },
  { provider: 'simulated-wire', regions: ['US'], rails: { bank_transfer: ['wire'] } },
  { provider: 'simulated-eu', regions: ['EU'], rails: { card: ['card-simulated-eu'], bank_transfer: ['sepa'] } },
  { provider: 'simulated-br', regions: ['BR'], rails: { bank_transfer: ['pix'] } },
  { provider: 'simulated-mx', regions: ['MX'], rails: { bank_transfer: ['spei'] } },
  { provider: 'simulated-base', regions: ['GLOBAL'], rails: { stablecoin: ['usdc-base'] } },
  { provider: 'simulated-polygon', regions: ['GLOBAL'], rails: { stablecoin: ['usdc-polygon'] } },
  { provider: 'simulated-solana', regions: ['GLOBAL'], rails: { stablecoin: ['usdc-solana'] } },
];

/** How many there are. */
export const mostProviders = table.length;

/** A provider, as the faces show it. */
export interface FundingProvider {
  provider: string;
  types: FundingType[];
  regions: readonly string[];
  active: boolean;
}

export interface ProviderFilter {
  type?: FundingType | null | undefined;
  region?: string | null | undefined;
}

/** The providers of a type and for a region, which those of GLOBAL serve too. */
export function fundingProviders(ctx: Ctx, { type, region }: ProviderFilter): FundingProvider[] {
  return table
    .filter(({ rails }) => type == null || rails[type] !== undefined)
    .filter(({ regions }) => region == null || regions.some((served) => served === region || served === 'GLOBAL'))
    .map(({ provider, regions, rails }) => ({
      provider,
      regions,
      types: Object.keys(rails) as FundingType[],
      active: isActive(ctx, rails),
    }));
}

function isActive(ctx: Ctx, { sandbox, ...rails }: Row['rails']): boolean {
  if (sandbox !== undefined) return ctx.workspace.environment === 'test';
  return Object.values(rails).some((names) => names.some((name) => railOf(ctx, name) !== undefined));
}

/** What a request asks money of. */
export interface ProviderRequest {
  provider: string;
  type: FundingType;
  currency: string;
}

/**
 * The rail that brings the money; null for that of the sandbox. 400 for a provider that is none, 422 `unsupported_rail` for a type or a
 * currency that it does not bring, 503 `rail_unavailable` where it is not active.
 */
export function railToFund(ctx: Ctx, { provider, type, currency }: ProviderRequest): Rail | null {
  const row = table.find((one) => one.provider === provider);
  if (row === undefined) {
    const message = `is no provider: ${table.map((one) => one.provider).join(', ')}`;
    throw new ValidationFailed([{ path: ['provider'], message, rule: 'enum' }]);
  }
  const names = row.rails[type];
  if (names === undefined) throw new FundingUnsupported({ provider, type, types: Object.keys(row.rails) });
  const name = names.find((one) => railCurrencies[one] === currency);
  if (type !== 'sandbox' && name === undefined) {
    throw new FundingUnsupported({ provider, type, currency, currencies: names.map((one) => railCurrencies[one] ?? '') });
  }
  const rail = name === undefined ? null : railOf(ctx, name);
  if (rail === undefined || !isActive(ctx, row.rails)) throw new RailUnavailable(name ?? provider);
  return rail;
}
