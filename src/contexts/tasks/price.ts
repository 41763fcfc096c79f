// What a skill may cost whoever gives a task at its price: at most the `max_price` of the request, and without one no more than its card has
// said in the last ten minutes (CONTRACT.md 29).
import type { Skill } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { firstSkillId, priceBefore } from '../agents/skill-price.js';
import { PriceChanged } from './errors.js';
import type { TaskPrice } from './payment.js';
import type { CreateTaskInput, TaskPaymentInput } from './task.input.js';

/** A task as it is asked for. A message of A2A may name no skill: `skillId` is then that of the first; and its maximum has its own currency. */
export type TaskRequest = CreateTaskInput & { isFirstSkill?: boolean; maxPriceCurrency?: Currency | undefined };

interface Priced {
  input: TaskRequest;
  payment: TaskPaymentInput;
  /** What would go into escrow. */
  price: TaskPrice;
  skill: Skill | null;
}

/** 409 `price_changed` for a price that the caller may not have read, 400 for an amount of its own beyond its `max_price`. */
export async function checkPrice(ctx: Ctx, tx: Tx, { input, payment, price, skill }: Priced): Promise<void> {
  const named = input.maxPriceCurrency ?? payment.currency ?? null;
  const most = payment.maxPrice == null ? null : maxOf(payment.maxPrice, named ?? price.currency);
  const isWithin = most === null || (most.currency === price.currency && price.amount <= most.amount);
  if (payment.amount != null) {
    if (!isWithin) throw new ValidationFailed([{ path: ['payment', 'amount'], message: 'is more than max_price', rule: 'max' }]);
    return;
  }
  if (skill === null) return;
  const { agentId, id: skillId } = skill;
  const shown = { agentId, skillId, price: { price: price.amount, currency: price.currency } };
  if (most !== null && !isWithin) throw new PriceChanged({ ...shown, max: { price: most.amount, currency: most.currency } });
  // A bound that names its currency is enough.
  if (most !== null && named !== null) return;
  const read = input.isFirstSkill === true ? firstSkillId : skillId;
  const before = await priceBefore(ctx, tx, { agentId, skillId: read, asked: price, isBounded: most !== null });
  if (before !== null) throw new PriceChanged({ ...shown, before });
}

function maxOf(amount: string, currency: TaskPrice['currency']): TaskPrice {
  return { amount: parseMinor(amount, currency, ['payment', 'maxPrice']), currency };
}
