// Errors that are those of tasks alone.
import type { Task } from '../../generated/prisma/client.js';
import { declareError } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';

/** Either side of a task. */
export type Side = 'sender' | 'worker';

/** 409: somebody was faster. */
export class TaskAlreadyClaimed extends declareError(409, 'task_already_claimed') {
  constructor({ toAgentId, claimedAt, status, skillId }: Task) {
    const path = `/v1/a2a/tasks?open=true&skill_id=${encodeURIComponent(skillId)}`;
    super('Another agent has claimed this task.', {
      details: {
        claimed_by: toAgentId,
        claimed_at: claimedAt?.toISOString() ?? null,
        current_status: status,
        next_actions: [{ rel: 'open_tasks', actor: 'any', method: 'GET', path }],
      },
    });
  }
}

/** 403: an agent acts for its own side of a task. */
export class NotYourTask extends declareError(403, 'forbidden') {
  constructor(id: string, side: Side) {
    super(side === 'sender' ? 'Only the agent that gave this task may do that.' : 'Only the agent that works on this task may do that.', {
      details: { next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/a2a/tasks/${id}` }] },
    });
  }
}

/** A price, or the bound of one; null with the currency where nothing was asked for. */
interface ShownPrice {
  price: bigint | null;
  currency: string | null;
}

const printPrice = ({ price, currency }: ShownPrice) =>
  price === null || currency === null ? null : { amount: formatMinor(price, currency), currency };

interface PriceChange {
  agentId: string;
  skillId: string;
  price: ShownPrice;
  /** What it cost a while ago, or what the caller would pay at most. */
  before?: ShownPrice & { until: Date };
  max?: ShownPrice;
}

/** 409: the skill costs more than the caller may have read, or than it would pay (CONTRACT.md 29). Both prices are told. */
export class PriceChanged extends declareError(409, 'price_changed') {
  constructor({ agentId, skillId, price, before, max }: PriceChange) {
    const path = `/v1/agents/${printId('agent', agentId)}/skills/${encodeURIComponent(skillId)}`;
    super(
      max === undefined
        ? 'The price of this skill was raised a moment ago: send the most that you pay as max_price.'
        : 'The skill costs more than your max_price.',
      {
        details: {
          skill_id: skillId,
          price: printPrice(price),
          ...(before && { previous_price: printPrice(before), binds_at: before.until.toISOString() }),
          ...(max && { max_price: printPrice(max) }),
          next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path }],
        },
      },
    );
  }
}
