// What is told of tasks, on the channels of the agents on both sides. SPEC.md announces a2a.task.* webhooks as not emitted, so these types
// are the platform's own (CONTRACT.md 5 "SSE channel").
import { z } from 'zod';
import { currency, exampleId, id, money, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { TaskStatus } from '../../generated/prisma/enums.js';

const assigned = z.strictObject({
  task_id: id('task'),
  skill_id: z.string(),
  from_agent_id: id('agt'),
  payment: z.strictObject({ amount: money, currency }).nullable(),
  deadline: time.nullable(),
});

const changes = [
  'accepted',
  'claimed',
  'unclaimed',
  'declined',
  'started',
  'progress',
  'input_required',
  'input',
  'completed',
  'released',
  'disputed',
  'resolved',
  'failed',
  'cancelled',
  'expired',
] as const;
export type TaskChangeKind = (typeof changes)[number];

const changed = z.strictObject({
  task_id: id('task'),
  change: z.enum(changes),
  status: z.enum(TaskStatus),
  from_agent_id: id('agt'),
  to_agent_id: id('agt').nullable(),
});

// Gap G-327: `task_assigned` and `task_updated` go to the channels of both sides; there is no webhook.
export const { events, emit } = declareEvents({
  '_task.assigned': {
    description: 'a task was given or offered to agents',
    data: assigned,
    subject: 'task_id',
    example: {
      task_id: exampleId('task'),
      skill_id: 'translate',
      from_agent_id: exampleId('agt'),
      payment: { amount: '5.00', currency: 'USD' },
      deadline: null,
    },
    channel: { type: 'task_assigned', data: assigned, roles: ['worker', 'candidate'], line: (given) => given },
  },
  '_task.changed': {
    description: 'something has happened to a task',
    data: changed,
    subject: 'task_id',
    example: {
      task_id: exampleId('task'),
      change: 'completed',
      status: 'completed',
      from_agent_id: exampleId('agt'),
      to_agent_id: exampleId('agt', true),
    },
    channel: { type: 'task_updated', data: changed, roles: ['sender', 'worker'], line: (given) => given },
  },
});
