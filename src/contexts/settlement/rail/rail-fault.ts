// Faults that befall the orders of a simulated rail, to try what becomes of payouts then (CONTRACT.md 19).
import type { RailFault, RailFaultKind } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, TestModeOnly, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { newId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { isCardNetwork, railCurrencies } from '../../transfers/rail.js';
import type { RailOrder } from './rail.js';
import type { CreateRailFaultInput } from './rail-fault.input.js';

/** What may befall messages to the networks of cards. */
const networkFaults: readonly RailFaultKind[] = ['latency', 'lost_ack', 'reject'];
/** Probabilities are kept in ten-thousandths. */
export const certain = 10_000;
/** Faults of a rail that are looked at for an order, the oldest first. */
const mostFaults = 100;

/** Refuses outside of the sandbox, and for a rail that is none: 403 `test_mode_only`, 404. */
export function checkTestRail({ workspace }: Ctx, rail: string): void {
  if (workspace.environment !== 'test') throw new TestModeOnly('Rails are simulated in the sandbox only.');
  if (!Object.hasOwn(railCurrencies, rail) && !isCardNetwork(rail)) throw new NotFound();
}

// Gap G-240: Networks have the faults latency, lost_ack and reject, matched by `destination_ref` and never by amount.
/** A network is asked and tells nothing of its own accord, and it carries any currency. */
function checkNetworkFault({ kind, match }: CreateRailFaultInput): void {
  if (!networkFaults.includes(kind)) {
    throw new ValidationFailed([{ path: ['kind'], message: `of a card network is one of ${networkFaults.join(', ')}`, rule: 'enum' }]);
  }
  if (match?.amount != null) {
    throw new ValidationFailed([{ path: ['match', 'amount'], message: 'says nothing without a currency, and a card network has none' }]);
  }
}

// Gap G-165: A fault is drawn when the rail books an order, the oldest first; 100 faults of a rail at most.
/** Lets a fault befall orders of the rail: the next so many, each by chance, or all of them until it is deleted. */
export async function createRailFault(ctx: Ctx, rail: string, input: CreateRailFaultInput): Promise<RailFault> {
  checkTestRail(ctx, rail);
  if (isCardNetwork(rail)) checkNetworkFault(input);
  const { kind, probability, nextN, match } = input;
  const at = ctx.clock.now();
  return transact(ctx, async (tx) => {
    // The workspace's row is the lock: two creations cannot both be the hundredth.
    await tx.workspace.updateMany({ where: { id: ctx.workspace.id }, data: { id: ctx.workspace.id } });
    if ((await tx.railFault.count({ where: { rail } })) >= mostFaults) {
      throw new ValidationFailed([{ path: ['kind'], message: `is one too many: a rail has at most ${mostFaults} faults`, rule: 'max' }]);
    }
    return tx.railFault.create({
      data: {
        id: newId(at),
        rail,
        kind,
        probability: probability == null ? null : Math.round(Number(probability) * certain),
        remaining: nextN ?? null,
        matchAmount: match?.amount == null ? null : parseMinor(match.amount, railCurrencies[rail] ?? '', ['match', 'amount']),
        matchDestination: match?.destinationRef ?? null,
        createdAt: at,
      },
    });
  });
}

/** One fault, or 404. */
export async function railFault(ctx: Ctx, id: string): Promise<RailFault> {
  const found = await ctx.db.railFault.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** The faults of a rail, newest first; those that are used up too. */
export const railFaults = listOf(
  'railFault',
  {},
  {
    rail: (rail: string, ctx) => {
      checkTestRail(ctx, rail);
      return { rail };
    },
  },
);

/** Takes all faults off a rail. Orders that it has keep theirs. */
export async function deleteRailFaults(ctx: Ctx, rail: string): Promise<{ id: string }> {
  checkTestRail(ctx, rail);
  return transact(ctx, async (tx) => {
    await tx.railFault.deleteMany({ where: { rail } });
    return { id: rail };
  });
}

/** The amount that a fault is for, as it is shown. */
export function matchAmountOf({ rail, matchAmount }: RailFault): string | null {
  return matchAmount === null ? null : formatMinor(matchAmount, railCurrencies[rail] ?? 'USD');
}

/** The facts of an order that a fault is matched by. */
type FaultTarget = Pick<RailOrder, 'destinationRef'> & { amount: bigint | null };

/**
 * The faults that apply to an order, counted down in the transaction that books it: of `next_n` exactly so many are used, however many
 * processes book.
 */
export async function consumeFaults(tx: Tx, rail: string, { amount, destinationRef }: FaultTarget): Promise<RailFaultKind[]> {
  const faults = await tx.railFault.findMany({
    where: {
      rail,
      OR: [{ remaining: null }, { remaining: { gt: 0 } }],
      AND: [
        amount === null ? { matchAmount: null } : { OR: [{ matchAmount: null }, { matchAmount: amount }] },
        { OR: [{ matchDestination: null }, { matchDestination: destinationRef }] },
      ],
    },
    orderBy: { id: 'asc' },
    take: mostFaults,
  });
  const taken = new Set<RailFaultKind>();
  for (const { id, kind, probability, remaining } of faults) {
    if (taken.has(kind) || Math.random() * certain >= (probability ?? certain)) continue;
    const counted = await tx.railFault.updateMany({
      where: remaining === null ? { id } : { id, remaining: { gt: 0 } },
      data: { applied: { increment: 1 }, ...(remaining !== null && { remaining: { decrement: 1 } }) },
    });
    if (counted.count === 1) taken.add(kind);
  }
  return [...taken];
}
