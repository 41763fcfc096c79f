// How rules hear what is published: which of them fire on it (CONTRACT.md 12). What a rule has caused fires none, and nothing fires a rule
// that was set after it.
import type pg from 'pg';
import type { EventListener, Stretch } from '../../events/listener.js';
import { minorOfCents } from '../../platform/money.js';
import { type Count, countOne } from './count.js';
import {
  crossings,
  type Firing,
  fire,
  type ListeningRule,
  listeningRules,
  type ReceivedEvent,
  receivedEvents,
  saveCounts,
  type Threshold,
} from './firing.sql.js';
import { paidWallets } from './schedule.sql.js';
import { matches, type Trigger, triggerOf } from './trigger.js';

const counted = 'transfer.completed';

/** Fires the rules of a workspace, in the transaction that moves the position. */
export const settlementListener: EventListener = {
  name: 'settlement_rules',
  async hear(tx, stretch) {
    const rules = await listeningRules(tx, stretch.workspaceId);
    const fired = rules.length === 0 ? [] : [...(await passed(tx, stretch, rules)), ...(await received(tx, stretch, rules))];
    await fire(tx, stretch.workspaceId, [...fired, ...(await paid(tx, stretch))]);
  },
};

/** What fires because a balance has passed its threshold. */
async function passed(tx: pg.ClientBase, { workspaceId }: Stretch, rules: readonly ListeningRule[]): Promise<Firing[]> {
  const thresholds = rules.flatMap(thresholdOf);
  if (thresholds.length === 0) return [];
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return (await crossings(tx, workspaceId, thresholds)).flatMap(({ ruleId, transactionId, at }) => {
    const rule = byId.get(ruleId);
    return rule === undefined ? [] : [firing(rule, transactionId, at)];
  });
}

/** What fires on events. What was counted is kept. */
async function received(tx: pg.ClientBase, stretch: Stretch, rules: readonly ListeningRule[]): Promise<Firing[]> {
  const types = [...new Set(rules.flatMap((rule) => typeOf(triggerOf(rule))))];
  if (types.length === 0) return [];
  const walletIds = [...new Set(rules.map(({ walletId }) => walletId))];
  const events = await receivedEvents(tx, stretch, types, walletIds);
  const counts = new Map<string, ListeningRule>();
  const fired = events.flatMap((event) =>
    rules.flatMap((rule) => {
      const { fires, count } = evaluate({ ...rule, ...counts.get(rule.id) }, event);
      if (count !== undefined) counts.set(rule.id, { ...rule, ...count });
      return fires ? [firing(rule, event.id, event.createdAt)] : [];
    }),
  );
  await saveCounts(tx, stretch.workspaceId, [...counts.values()]);
  return fired;
}

/** What the schedule of the config settles as it arrives. */
async function paid(tx: pg.ClientBase, stretch: Stretch): Promise<Firing[]> {
  const wallets = await paidWallets(tx, stretch);
  return wallets.map(({ walletId, eventId, at }) => ({ rule: null, walletId, trigger: 'event_based', cause: eventId, firedAt: at }));
}

function thresholdOf(rule: ListeningRule): Threshold[] {
  const trigger = triggerOf(rule);
  if (trigger.type !== 'balance_threshold') return [];
  const { thresholdCents, currency, direction } = trigger.config;
  return [{ ruleId: rule.id, threshold: minorOfCents(thresholdCents, currency) ?? 0n, direction }];
}

/** The type of event that a trigger hears. */
function typeOf(trigger: Trigger): string[] {
  if (trigger.type === 'transaction_count') return [counted];
  return trigger.type === 'event_based' ? [trigger.config.eventType] : [];
}

function firing(rule: ListeningRule, cause: string, firedAt: Date): Firing {
  return { rule, walletId: rule.walletId, trigger: rule.triggerType, cause, firedAt };
}

interface Answer {
  fires: boolean;
  /** What a rule that counts has counted by then. */
  count?: Count;
}

const silent: Answer = { fires: false };

/** Whether a rule fires on an event. */
function evaluate(rule: ListeningRule, { id, type, data, createdAt, hasWallets, fromWalletId, toWalletId }: ReceivedEvent): Answer {
  const touches = fromWalletId === rule.walletId || toWalletId === rule.walletId;
  if (id < rule.armedId || (hasWallets && !touches)) return silent;
  const trigger = triggerOf(rule);
  if (trigger.type === 'event_based') return { fires: trigger.config.eventType === type && matches(data, trigger.config.filter) };
  if (trigger.type !== 'transaction_count' || type !== counted || !touches) return silent;
  const { fires, ...count } = countOne(rule, createdAt, trigger.config);
  return { fires, count };
}
