// What a settlement rule does when it fires: the types of actions, and what belongs to each (CONTRACT.md 12).
import { z } from 'zod';
import type { Wallet } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, type FieldIssue, NotFound } from '../../platform/errors.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { walletRef } from '../accounts/wallet-ref.js';
import { WrongRail } from '../settlement/errors.js';
import { SameWallet } from '../transfers/errors.js';
import { checkRail } from '../transfers/rail.js';
import { type RequestedConfig, readConfig } from './shape.js';

export const amountModes = ['all', 'fixed'] as const;

const cents = z
  .int()
  .min(1)
  .max(10 ** 15);
const reserve = z
  .int()
  .min(0)
  .max(10 ** 15);
const longestHoldSeconds = 31_536_000;

const amounts = { amount: z.enum(amountModes).optional(), amountCents: cents.optional(), retainReserveCents: reserve.optional() };

/** `amount_cents` is the amount of `fixed`, and of nothing else. */
function checkAmounts(
  { amount, amountCents }: { amount?: string | undefined; amountCents?: number | undefined },
  check: z.core.$RefinementCtx,
) {
  const path = ['amountCents'];
  if (amount === 'fixed' && amountCents === undefined) check.addIssue({ code: 'custom', path, message: 'is required with amount: fixed' });
  if (amount !== 'fixed' && amountCents !== undefined) check.addIssue({ code: 'custom', path, message: 'goes with amount: fixed' });
}

/** By type, what an action has. */
const actionShapes = {
  settle_to_bank: z.strictObject({
    destination: z.strictObject({ type: z.literal('bank'), ref: z.string().min(1).max(128).optional() }).optional(),
    retainReserveCents: reserve.optional(),
    rail: z.string().min(1).max(64).optional(),
  }),
  settle_to_account: z.strictObject({ destinationAccountId: z.string(), ...amounts }).superRefine(checkAmounts),
  settle_to_wallet: z.strictObject({ destinationWalletId: z.string(), ...amounts }).superRefine(checkAmounts),
  hold: z.strictObject({ amountCents: cents, releaseAfterSeconds: z.int().min(1).max(longestHoldSeconds).optional() }),
  notify: z.strictObject({ message: z.string().min(1).max(500).optional() }),
} as const;

export type ActionType = keyof typeof actionShapes;
export type ActionConfig<Type extends ActionType = ActionType> = z.output<(typeof actionShapes)[Type]>;
/** An action as it is stored and shown. */
export type Action = { [Type in ActionType]: { type: Type; config: ActionConfig<Type> } }[ActionType];

/** The action of a type with its config, or what is wrong with it. */
export function readAction(type: ActionType, given: RequestedConfig): { config: ActionConfig } | { issues: FieldIssue[] } {
  return readConfig(actionShapes[type], given, 'actionConfig', `an action ${type}`);
}

/** The action of a row. */
export function actionOf({ actionType: type, actionConfig: config }: { actionType: ActionType; actionConfig: unknown }): Action {
  return { type, config } as Action;
}

/** The action with the ids of what it names. 404 for what is not there, 422 for what the money of the wallet cannot reach. */
export async function resolveAction(ctx: Ctx, action: Action, wallet: Pick<Wallet, 'id' | 'currency'>): Promise<Action> {
  switch (action.type) {
    case 'settle_to_bank':
      return { type: action.type, config: await resolveBank(ctx, action.config, wallet.currency) };
    case 'settle_to_account': {
      const { destinationAccountId: id } = action.config;
      if ((await ctx.db.account.findFirst({ where: { id }, select: { id: true } })) === null)
        throw new NotFound('actionConfig', 'destinationAccountId');
      return action;
    }
    case 'settle_to_wallet': {
      const to = await walletRef(ctx, action.config.destinationWalletId);
      if (to === null) throw new NotFound('actionConfig', 'destinationWalletId');
      if (to.walletId === wallet.id) throw new SameWallet();
      if (to.currency !== wallet.currency) throw new CurrencyMismatch(to.walletId, to.currency, wallet.currency);
      return action;
    }
    default:
      return action;
  }
}

type BankConfig = ActionConfig<'settle_to_bank'>;

async function resolveBank(ctx: Ctx, config: BankConfig, currency: string): Promise<BankConfig> {
  const { destination, rail } = config;
  if (rail !== undefined) checkRail(ctx, rail, currency);
  if (destination?.ref === undefined) return config;
  const id = parseId('bankAccount', destination.ref);
  const bank =
    id === null ? null : await ctx.db.bankAccount.findFirst({ where: { id, deletedAt: null }, select: { id: true, rail: true } });
  if (bank === null) throw new NotFound('actionConfig', 'destination', 'ref');
  if (rail !== undefined && rail !== bank.rail) throw new WrongRail(rail, [bank.rail]);
  checkRail(ctx, bank.rail, currency);
  return { ...config, destination: { type: 'bank', ref: printId('bankAccount', bank.id) } };
}
