// Settlement rules: what happens to the money of a wallet, and when (CONTRACT.md 12). Each rule is about one wallet, for ever.
import { catalogOf } from '../../events/catalog.js';
import type { Prisma, SettlementRule, Wallet } from '../../generated/prisma/client.js';
import { balances } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { CurrencyMismatch, type FieldIssue, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import { formatMinor, maxAmountMinor, minorOfCents } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { walletLifecycle } from '../accounts/wallet.js';
import { type Action, type ActionType, actionOf, readAction, resolveAction } from './action.js';
import { TooManySettlementRules } from './errors.js';
import { fire } from './firing.sql.js';
import type { CreateSettlementRuleInput, UpdateSettlementRuleInput } from './rule.input.js';
import type { RequestedConfig } from './shape.js';
import { nextFiringOf, readTrigger, type Trigger, type TriggerType, triggerOf } from './trigger.js';

/** Gap G-199: A workspace has 100 rules (409), each for one wallet for ever; `enabled` is true and `priority` 100 by default. */
export const mostSettlementRules = 100;
const defaultPriority = 100;

/** Makes a rule. 400 for a config that is not its type's, 404 and 422 for what it names, 409 for one rule too many. */
export async function createSettlementRule(ctx: Ctx, input: CreateSettlementRuleInput): Promise<SettlementRule> {
  const { name, walletId } = input;
  const given = readBoth(ctx, input.triggerType, input.triggerConfig, input.actionType, input.actionConfig);
  const wallet = await ctx.db.wallet.findFirst({ where: { id: walletId } });
  if (wallet === null) throw new NotFound('walletId');
  checkAmounts(given, wallet);
  if (input.fireNow === true) checkFireNow(given.trigger, input.enabled ?? true);
  const action = await resolveAction(ctx, given.action, wallet);
  const rule = await transact(ctx, async (tx) => {
    await checkRoom(ctx, tx);
    const { status } = await lockRow(tx.wallet, walletId);
    if (status === 'closed')
      throw wrongStatus(walletLifecycle, walletId, status, ['active', 'frozen'], 'A closed wallet cannot have rules.');
    const at = ctx.clock.now();
    const enabled = input.enabled ?? true;
    const made = await tx.settlementRule.create({
      data: {
        id: newId(at),
        name,
        walletId,
        ...stored({ trigger: given.trigger, action }),
        enabled,
        priority: input.priority ?? defaultPriority,
        ...(await armed(ctx, tx, walletId, given.trigger, enabled)),
        createdAt: at,
        updatedAt: at,
      },
    });
    if (input.fireNow === true && (await isBeyond({ ...ctx, db: tx as Ctx['db'] }, made)))
      await fire(tx, ctx.workspace.id, [{ rule: made, walletId, trigger: 'balance_threshold', cause: made.id, firedAt: at }]);
    return made;
  });
  ring(ctx, rule);
  if (input.fireNow === true) ringAt(ctx, 'settlement_execution', rule.createdAt);
  return rule;
}

/** 400 for `fire_now` where no balance is watched. */
function checkFireNow(trigger: Trigger, enabled: boolean): void {
  const message = trigger.type === 'balance_threshold' ? 'goes with an enabled rule' : 'goes with trigger_type balance_threshold only';
  if (trigger.type !== 'balance_threshold' || !enabled) throw new ValidationFailed([{ path: ['fireNow'], message, rule: 'trigger' }]);
}

/** Whether the balance is where the trigger of a new rule waits for it to go. */
async function isBeyond(ctx: Ctx, { walletId, ...rule }: SettlementRule): Promise<boolean> {
  const trigger = triggerOf(rule);
  if (trigger.type !== 'balance_threshold') return false;
  const { thresholdCents, currency, direction } = trigger.config;
  const threshold = minorOfCents(thresholdCents, currency) ?? 0n;
  const available = (await balances(ctx, [walletId])).get(walletId)?.available ?? 0n;
  return direction === 'above' ? available >= threshold : available < threshold;
}

// Gap G-200: A rule counts from when it was made, enabled or given another trigger; a threshold fires at each crossing.
/** Changes a rule; a new type comes with its config. A trigger that is changed or enabled begins anew. */
export async function updateSettlementRule(ctx: Ctx, input: UpdateSettlementRuleInput & { id: string }): Promise<SettlementRule> {
  const { id, name, priority } = input;
  const rule = await transact(ctx, async (tx) => {
    const before = await lockRule(tx, id);
    const triggerType = input.triggerType ?? before.triggerType;
    const actionType = input.actionType ?? before.actionType;
    const triggerConfig = input.triggerConfig ?? (triggerType === before.triggerType ? triggerOf(before).config : {});
    const actionConfig = input.actionConfig ?? (actionType === before.actionType ? actionOf(before).config : {});
    const given = readBoth(ctx, triggerType, triggerConfig as RequestedConfig, actionType, actionConfig as RequestedConfig);
    const wallet = await tx.wallet.findFirstOrThrow({ where: { id: before.walletId } });
    checkAmounts(given, wallet);
    const isNewAction = input.actionConfig != null || actionType !== before.actionType;
    const action = isNewAction ? await resolveAction({ ...ctx, db: tx as Ctx['db'] }, given.action, wallet) : given.action;
    const enabled = input.enabled ?? before.enabled;
    const begins = input.triggerConfig != null || triggerType !== before.triggerType || enabled !== before.enabled;
    return tx.settlementRule.update({
      where: rowKey(ctx, id),
      data: {
        ...(name != null && { name }),
        ...(priority != null && { priority }),
        ...stored({ trigger: given.trigger, action }),
        enabled,
        ...(begins && (await armed(ctx, tx, before.walletId, given.trigger, enabled))),
        updatedAt: ctx.clock.now(),
      },
    });
  });
  ring(ctx, rule);
  return rule;
}

/** Ends a rule. What it has fired and not carried out is skipped. */
export function deleteSettlementRule(ctx: Ctx, id: string): Promise<SettlementRule> {
  return transact(ctx, async (tx) => {
    await lockRule(tx, id);
    const at = ctx.clock.now();
    return tx.settlementRule.update({
      where: rowKey(ctx, id),
      data: { deletedAt: at, updatedAt: at, enabled: false, dueAt: null, leaseUntil: null },
    });
  });
}

/** The rule, or 404. */
export async function settlementRule(ctx: Ctx, id: string, query: object = {}): Promise<SettlementRule> {
  const found = await ctx.db.settlementRule.findFirst({ ...query, where: { id, deletedAt: null } });
  if (found === null) throw new NotFound();
  return found;
}

/** Rules, newest first. */
export const settlementRules = listOf('settlementRule', { where: { deletedAt: null } });

/** The rule under its lock, or 404. */
export function lockRule(tx: Tx, id: string): Promise<SettlementRule> {
  return lockRow<SettlementRule>(tx.settlementRule, id, { where: { deletedAt: null } });
}

interface RuleConfigs {
  trigger: Trigger;
  action: Action;
}

/** Both configs, read by their types. 400 with everything that is wrong with either. */
function readBoth(
  ctx: Pick<Ctx, 'platform'>,
  triggerType: TriggerType,
  triggerConfig: RequestedConfig | null | undefined,
  actionType: ActionType,
  actionConfig: RequestedConfig | null | undefined,
): RuleConfigs {
  const trigger = readTrigger(catalogOf(ctx), triggerType, triggerConfig ?? {});
  const action = readAction(actionType, actionConfig ?? {});
  const issues = [trigger, action].flatMap((read): FieldIssue[] => ('issues' in read ? read.issues : []));
  if ('issues' in trigger || 'issues' in action) throw new ValidationFailed(issues);
  return {
    trigger: triggerOf({ triggerType, triggerConfig: trigger.config }),
    action: actionOf({ actionType, actionConfig: action.config }),
  };
}

/** 422 for a threshold in another currency than the wallet's, 400 for cents that the currency does not have, and for too many. */
function checkAmounts({ trigger, action }: RuleConfigs, { id, currency }: Pick<Wallet, 'id' | 'currency'>): void {
  if (trigger.type === 'balance_threshold' && trigger.config.currency !== currency)
    throw new CurrencyMismatch(id, currency, trigger.config.currency);
  const issues = [
    ...centsIssues(trigger.config, 'triggerConfig', ['thresholdCents'], currency),
    ...centsIssues(action.config, 'actionConfig', ['amountCents', 'retainReserveCents'], currency),
  ];
  if (issues.length > 0) throw new ValidationFailed(issues);
}

function centsIssues(config: object, path: string, names: readonly string[], currency: string): FieldIssue[] {
  return names.flatMap((name) => {
    const cents = (config as Record<string, number | undefined>)[name];
    if (cents === undefined) return [];
    const minor = minorOfCents(cents, currency);
    if (minor === null) return [{ path: [path, name], message: `must be a multiple of 100: ${currency} has no cents`, rule: 'amount' }];
    // Beyond it a cent of six decimals is no number of the database.
    if (minor <= maxAmountMinor) return [];
    return [{ path: [path, name], message: `must come to at most ${formatMinor(maxAmountMinor, currency)} ${currency}`, rule: 'amount' }];
  });
}

function stored({ trigger, action }: RuleConfigs) {
  return {
    triggerType: trigger.type,
    triggerConfig: trigger.config as Prisma.InputJsonObject,
    actionType: action.type,
    actionConfig: action.config as Prisma.InputJsonObject,
  };
}

/** From here on the trigger counts and watches: what was before is not its business. */
async function armed(ctx: Ctx, tx: Tx, walletId: string, trigger: Trigger, enabled: boolean) {
  const at = ctx.clock.now();
  const account = await tx.ledgerAccount.findFirstOrThrow({
    where: { ownerId: walletId, kind: 'wallet.available' },
    select: { version: true },
  });
  return {
    armedId: newId(at),
    seenVersion: account.version,
    counted: 0,
    recent: [],
    dueAt: enabled ? nextFiringOf(trigger, at) : null,
    leaseUntil: null,
  };
}

async function checkRoom({ workspace }: Ctx, tx: Tx): Promise<void> {
  // The workspace's row is the lock: two creations cannot both be the hundredth.
  await tx.workspace.updateMany({ where: { id: workspace.id }, data: { id: workspace.id } });
  const count = await tx.settlementRule.count({ where: { deletedAt: null } });
  if (count >= mostSettlementRules) throw new TooManySettlementRules(mostSettlementRules, count);
}

function ring(ctx: Ctx, { dueAt }: SettlementRule): void {
  if (dueAt !== null) ringAt(ctx, 'settlement_rule', dueAt);
}
