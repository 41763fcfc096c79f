// Who brings money in, by which rails and from where: a table of the code (CONTRACT.md 12). Those that are simulated are active in the sandbox.
// In production there is `evm`, which nobody asks for money: it brings what reaches the deposit addresses of wallets.
import type { FundingType } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { refusalOf } from '../rails/admission.js';
import { configuredRails } from '../rails/configured-rails.js';
import { type Rail, railOf } from '../settlement/rail/rail.js';
import { knownRails, railCurrencies, railUnavailable } from '../transfers/rail.js';
import { depositRails } from './deposit-rail.js';
import { FundedByDeposit, FundingUnsupported } from './errors.js';

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

/** Brings what reaches the addresses of wallets on chains of production. */
const byDeposit: Row = { provider: 'evm', regions: ['GLOBAL'], rails: { stablecoin: [] } };

/** How many there are. */
export const mostProviders = table.length + 1;

/** What the provider of a deposit over a chain is called. */
export const depositProvider = byDeposit.provider;

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
export async function fundingProviders(ctx: Ctx, { type, region }: ProviderFilter): Promise<FundingProvider[]> {
  const takesDeposits = await hasDeposits(ctx);
  return providersOf(ctx)
    .filter(({ rails }) => type == null || rails[type] !== undefined)
    .filter(({ regions }) => region == null || regions.some((served) => served === region || served === 'GLOBAL'))
    .map((row) => ({
      provider: row.provider,
      regions: row.regions,
      types: Object.keys(row.rails) as FundingType[],
      active: row === byDeposit ? takesDeposits : isActive(ctx, row.rails),
    }));
}

// Gap G-854: Providers that are simulated are never active in production, though a rail of the name is; `evm` is not listed in the sandbox.
function providersOf({ workspace }: Pick<Ctx, 'workspace'>): readonly Row[] {
  return workspace.environment === 'live' ? [...table, byDeposit] : table;
}

function isActive(ctx: Ctx, { sandbox, ...rails }: Row['rails']): boolean {
  if (ctx.workspace.environment !== 'test') return false;
  return sandbox !== undefined || Object.values(rails).some((names) => names.some((name) => railOf(ctx, name) !== undefined));
}

/** The names of the rails that take deposits in a currency. */
function depositRailsOf(ctx: Ctx, currency: string): string[] {
  const taking = ctx.platform.extensions.of(depositRails);
  return Object.entries(knownRails(ctx)).flatMap(([name, carried]) =>
    carried === currency && taking.of(ctx.workspace, name) !== undefined ? [name] : [],
  );
}

/** Whether a rail of production that takes deposits is on for the workspace. */
async function hasDeposits(ctx: Ctx): Promise<boolean> {
  if (ctx.workspace.environment !== 'live') return false;
  const { platform, workspace } = ctx;
  for (const rail of platform.extensions.of(configuredRails).byName.values()) {
    const takes = platform.extensions.of(depositRails).of(workspace, rail.name) !== undefined;
    if (takes && (await refusalOf(ctx, rail)) === null) return true;
  }
  return false;
}

/** What a request asks money of. */
export interface ProviderRequest {
  provider: string;
  walletId: string;
  type: FundingType;
  currency: string;
}

/**
 * The rail that brings the money; null for that of the sandbox. 400 for a provider that is none, 422 `unsupported_rail` for a type or a
 * currency that it does not bring and for deposits, 503 `rail_unavailable` where it is not active.
 */
export async function railToFund(ctx: Ctx, { provider, walletId, type, currency }: ProviderRequest): Promise<Rail | null> {
  const providers = providersOf(ctx);
  const row = providers.find((one) => one.provider === provider);
  if (row === undefined) {
    const message = `is no provider: ${providers.map((one) => one.provider).join(', ')}`;
    throw new ValidationFailed([{ path: ['provider'], message, rule: 'enum' }]);
  }
  if (row === byDeposit) throw new FundedByDeposit(provider, walletId, depositRailsOf(ctx, currency));
  const names = row.rails[type];
  if (names === undefined) throw new FundingUnsupported({ provider, type, types: Object.keys(row.rails) });
  const name = names.find((one) => railCurrencies[one] === currency);
  if (type !== 'sandbox' && name === undefined) {
    throw new FundingUnsupported({ provider, type, currency, currencies: names.map((one) => railCurrencies[one] ?? '') });
  }
  const rail = name === undefined ? null : railOf(ctx, name);
  if (rail === undefined || !isActive(ctx, row.rails)) throw await railUnavailable(ctx, name ?? provider);
  return rail;
}
