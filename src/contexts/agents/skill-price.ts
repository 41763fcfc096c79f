// The prices that skills had a while ago. A card may be kept for five minutes, so a raise binds who names no greatest price only ten minutes
// after it was made (CONTRACT.md 29).
import type { Skill } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';

/** How long a price counts after it was raised. */
export const raiseSeconds = 600;

/** Stands for the first skill of an agent, which is meant where none is named. */
export const firstSkillId = '';

/** Minor units; null with the currency where nothing is asked for. */
export type MinorPrice = Pick<Skill, 'price' | 'currency'>;

/** What each skill of an agent costs, and its first one. */
async function pricesOf(tx: Tx, agentId: string): Promise<Map<string, MinorPrice>> {
  const skills = await tx.skill.findMany({
    where: { agentId },
    orderBy: { place: 'asc' },
    select: { id: true, price: true, currency: true },
  });
  const [first] = skills;
  return new Map([
    ...skills.map(({ id, ...asked }) => [id, asked] as const),
    ...(first === undefined ? [] : [[firstSkillId, first] as const]),
  ]);
}

/** True where who has read `before` is not asked for more now. */
function isAtMost(now: MinorPrice | undefined, before: MinorPrice): boolean {
  if (now === undefined) return false;
  if (now.price === null) return true;
  return before.price !== null && before.currency === now.currency && now.price <= before.price;
}

// Gap G-433: A price above the lowest of the last 10 minutes is 409 `price_changed`; a new price or currency is a raise too.
/** Changes skills of an agent, under the lock of the agent, and keeps the prices that are raised by it or taken away. */
export async function keepingPrices<T>(ctx: Ctx, tx: Tx, agentId: string, change: () => Promise<T>): Promise<T> {
  const before = await pricesOf(tx, agentId);
  const done = await change();
  const after = await pricesOf(tx, agentId);
  const at = ctx.clock.now();
  const left = [...before].filter(([skillId, asked]) => !isAtMost(after.get(skillId), asked));
  if (left.length === 0) return done;
  await tx.skillPrice.deleteMany({ where: { agentId, until: { lte: at } } });
  await tx.skillPrice.createMany({
    data: left.map(([skillId, { price, currency }]) => ({
      id: newId(at),
      agentId,
      skillId,
      price,
      currency,
      until: addSeconds(at, raiseSeconds),
    })),
  });
  return done;
}

interface Asking {
  agentId: string;
  skillId: string;
  asked: { amount: bigint; currency: string };
  /** The caller says what it pays at most, in the currency of `asked`. */
  isBounded: boolean;
}

/**
 * A price below `asked`, or one that cannot be compared with it, that somebody may have read of the skill who calls now: the lowest one, with
 * the time until which it counts. Null where there is none. Of a bounded price only those in other currencies count.
 */
export function priceBefore(
  { clock }: Ctx,
  tx: Tx,
  { agentId, skillId, asked, isBounded }: Asking,
): Promise<(MinorPrice & { until: Date }) | null> {
  const abroad = { currency: { not: asked.currency } };
  return tx.skillPrice.findFirst({
    where: {
      agentId,
      skillId,
      until: { gt: clock.now() },
      OR: isBounded ? [abroad] : [abroad, { price: null }, { price: { lt: asked.amount } }],
    },
    orderBy: [{ price: { sort: 'asc', nulls: 'first' } }, { until: 'desc' }],
    select: { price: true, currency: true, until: true },
  });
}
