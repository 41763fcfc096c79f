// The rails that money leaves and reaches the platform on, and the currency that each carries (CONTRACT.md 2 "Rails and currencies"): those of
// every sandbox, and those that the file of rails names beside them.

import type { Ctx, Platform } from '../../platform/ctx.js';
import { declareError, type OperatorAction } from '../../platform/errors.js';
import { ExtensionPoint, onePart } from '../../platform/extension.js';
import { type Currency, formatMinor, isCurrency } from '../../platform/money.js';

/** Rails that carry money both ways. */
const bothWays: Readonly<Record<string, Currency>> = {
  ach: 'USD',
  wire: 'USD',
  sepa: 'EUR',
  pix: 'BRL',
  spei: 'MXN',
  'usdc-base': 'USDC',
  'usdc-polygon': 'USDC',
  'usdc-solana': 'USDC',
};

/** The currencies that cards are charged in. */
const cardCurrencies: readonly Currency[] = ['USD', 'EUR', 'BRL', 'MXN', 'JPY'];

// Gap G-223: A card processor has one rail for each currency; a currency without one is 422 `unsupported_rail`.
/** The rails on which a processor charges vaulted cards: one for each currency, that of US dollars without its name. */
export function cardRails(processor: string): { rail: string; currency: Currency }[] {
  return cardCurrencies.map((currency) => ({
    rail: currency === 'USD' ? `card-${processor}` : `card-${processor}-${currency.toLowerCase()}`,
    currency,
  }));
}

/** The networks of cards, which carry words and no money: an authorization, its cancellation, a refund. */
export const cardNetworks = ['visa', 'mastercard'] as const;
export type CardNetworkName = (typeof cardNetworks)[number];

/** True for the name of a network of cards. */
export function isCardNetwork(name: string): name is CardNetworkName {
  return (cardNetworks as readonly string[]).includes(name);
}

/** The currency of each rail that every sandbox has. Cards bring money in alone. */
export const railCurrencies: Readonly<Record<string, Currency>> = {
  ...bothWays,
  'card-simulated-us': 'USD',
  'card-simulated-eu': 'EUR',
  ...Object.fromEntries(cardRails('simulated').map(({ rail, currency }) => [rail, currency])),
};

/** The currencies of rails that the file of rails names, by their names. */
export const railNames = new ExtensionPoint<Readonly<Record<string, Currency>>, Readonly<Record<string, Currency>>>(
  'names of rails',
  (parts) => Object.assign({}, ...parts),
);

type Known = { platform: Pick<Platform, 'extensions'> };

/** The currencies of all rails that are known, by their names. */
export function knownRails({ platform }: Known): Readonly<Record<string, Currency>> {
  return { ...railCurrencies, ...platform.extensions.of(railNames) };
}

/** Those that carry money out. */
function outward({ platform }: Known): Readonly<Record<string, Currency>> {
  return { ...bothWays, ...platform.extensions.of(railNames) };
}

/** True for a rail that cards are charged on: it brings money in alone. */
export function isCardRail(rail: string): boolean {
  return rail.startsWith('card-');
}

/** The rails that carry USDC to addresses of the form `0x...`, the usual one first. */
export function evmRails(known: Known): string[] {
  return Object.keys(outward(known)).filter((name) => name.startsWith('usdc-') && name !== 'usdc-solana');
}

/** 422: no rail of this name carries the currency out of the platform. */
export class UnsupportedRail extends declareError(422, 'unsupported_rail') {
  constructor(rail: string, currency: string, rails: readonly string[]) {
    super(`The rail ${rail} does not carry ${currency}.`, {
      details: { rail, currency, rails, retry: { safe: true, same_key: false } },
    });
  }
}

/** Why a rail takes no order. `unhealthy`: what it needs does not answer as it has to. */
export type UnavailableReason = 'not_configured' | 'not_for_workspace' | 'switched_off' | 'draining' | 'unhealthy';

const sentences: Readonly<Record<UnavailableReason, string>> = {
  not_configured: 'No payment provider is connected',
  not_for_workspace: 'The payment provider is not connected to this workspace',
  switched_off: 'The rail is switched off',
  draining: 'The rail takes no new orders',
  unhealthy: 'The rail is not in order',
};

/** What who runs the platform does about it. */
function helpOf(rail: string, reason: UnavailableReason): OperatorAction {
  if (reason === 'not_configured' || reason === 'not_for_workspace')
    return { rel: 'configure', actor: 'operator', setting: `RAILS_FILE: rails.${rail}` };
  if (reason === 'unhealthy') return { rel: 'diagnose', actor: 'operator', command: `rails doctor ${rail}` };
  return { rel: 'switch_on', actor: 'operator', command: `rails on ${rail}` };
}

/**
 * 503: the rail takes no order now. Nothing was held. Who does not run the platform hears no more than whose it is to mend. `rail`: null for a
 * place that no rail was found for.
 */
export class RailUnavailable extends declareError(503, 'rail_unavailable') {
  constructor(rail: string | null, reason: UnavailableReason = 'not_configured', isOperator = false) {
    const action: OperatorAction = isOperator && rail !== null ? helpOf(rail, reason) : { actor: 'operator' };
    const named = rail === null ? {} : { rail };
    super(`${sentences[reason]}. Nothing was held.`, { details: { ...named, reason, retry: { safe: true }, next_actions: [action] } });
  }
}

type Asking = Pick<Ctx, 'platform' | 'workspace'>;

/** Whether the caller runs the platform: the rails of production know. */
export const runsPlatform = onePart<(ctx: Asking) => Promise<boolean>>('who runs the platform');

/** The refusal of a rail, with what is to be done about it where the caller runs the platform. */
export async function railUnavailable(ctx: Asking, rail: string, reason: UnavailableReason = 'not_configured'): Promise<RailUnavailable> {
  return new RailUnavailable(rail, reason, await ctx.platform.extensions.of(runsPlatform)(ctx));
}

/** 422: the order is more than the rail takes at once. */
export class RailLimitExceeded extends declareError(422, 'rail_limit_exceeded') {
  constructor(rail: string, { max, requested, currency }: { max: string; requested: string; currency: Currency }) {
    const limit = { kind: 'rail', per: 'order', currency, max, used: formatMinor(0n, currency), requested, remaining: max };
    super(`The rail ${rail} takes at most ${max} ${currency} at once.`, {
      details: { rail, limit, retry: { safe: true, same_key: false } },
    });
  }
}

/** Throws 422 unless a rail of this name carries the currency out of the platform. */
export function checkRail(known: Known, rail: string, currency: string): void {
  const carried = outward(known);
  if (isCurrency(currency) && Object.hasOwn(carried, rail) && carried[rail] === currency) return;
  throw new UnsupportedRail(
    rail,
    currency,
    Object.keys(carried).filter((name) => carried[name] === currency),
  );
}
