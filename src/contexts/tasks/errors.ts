// Errors that are those of tasks alone.
import type { Task } from '../../generated/prisma/client.js';
import { declareError } from '../../platform/errors.js';

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
