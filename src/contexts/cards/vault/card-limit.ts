// What may be spent with a vaulted card: limits of the spend pipeline, set all at once (CONTRACT.md 14).
import type { VaultedCard } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import type { EnforcedCard } from '../../spending/pipeline/card-rule.js';
import type { CardLimitsInput } from './card-limit.input.js';

/** The limits of a card as they are shown. */
export interface CardLimits {
  currency: string;
  perTx: string | null;
  daily: string | null;
  monthly: string | null;
  allowedCategories: readonly string[];
}

type Limited = Pick<VaultedCard, 'id' | 'agentId' | 'limitCurrency' | 'limitPerTx' | 'limitDaily' | 'limitMonthly' | 'limitCategories'>;

// Gap G-242: A second call replaces all limits of the card; without any figure or category it has none.
/**
 * Sets the limits of a card, and takes away those that are not named; without any figure and category it has none. What was paid in the
 * same currency counts on. 404, 400 for an amount that does not fit its currency.
 */
export function setCardLimits(ctx: Ctx, id: string, { currency, allowedCategories, ...amounts }: CardLimitsInput): Promise<VaultedCard> {
  const figure = (name: 'perTx' | 'daily' | 'monthly') => {
    const text = amounts[name];
    return text == null ? null : parseMinor(text, currency, [name]);
  };
  const [limitPerTx, limitDaily, limitMonthly] = [figure('perTx'), figure('daily'), figure('monthly')];
  if (limitDaily !== null && limitMonthly !== null && limitDaily > limitMonthly)
    throw new ValidationFailed([{ path: ['daily'], message: 'is more than may be spent in a month', rule: 'max' }]);
  const limitCategories = [...new Set(allowedCategories ?? [])];
  const isNone = limitPerTx === null && limitDaily === null && limitMonthly === null && limitCategories.length === 0;
  const data = { limitCurrency: isNone ? null : currency, limitPerTx, limitDaily, limitMonthly, limitCategories };
  return transact(ctx, async (tx) => {
    await lockRow(tx.vaultedCard, id, { where: { deletedAt: null } });
    return tx.vaultedCard.update({ where: rowKey(ctx, id), data });
  });
}

/** The limits of a card; null without any. */
export function cardLimits({ limitCurrency, limitPerTx, limitDaily, limitMonthly, limitCategories }: Limited): CardLimits | null {
  if (limitCurrency === null) return null;
  const print = (minor: bigint | null) => (minor === null ? null : formatMinor(minor, limitCurrency));
  return {
    currency: limitCurrency,
    perTx: print(limitPerTx),
    daily: print(limitDaily),
    monthly: print(limitMonthly),
    allowedCategories: limitCategories,
  };
}

/** The same as the pipeline enforces them. */
export function enforcedCard(card: Limited): EnforcedCard | undefined {
  const { id, agentId, limitCurrency: currency, limitPerTx, limitDaily, limitMonthly, limitCategories } = card;
  if (currency === null) return undefined;
  return { id, agentId, currency, perTx: limitPerTx, daily: limitDaily, monthly: limitMonthly, allowedCategories: limitCategories };
}
