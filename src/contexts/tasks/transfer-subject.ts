// What becomes of the transfer that pays for a task: the task decides it (CONTRACT.md 11).
import type { TransferSubject } from '../../manifest/noun.js';
import { StateConflict } from '../../platform/errors.js';
import { splitEscrow } from './review.js';

export const transfersOfTasks: TransferSubject = {
  openBy: ['payer', 'payee'],
  endsWithNoun: true,
  escrow: {
    refusal: ({ status, subjectId }) =>
      new StateConflict('The money is in the escrow of a task: dispute or cancel the task.', status, [], {
        next_actions: [{ rel: 'task', actor: 'any', method: 'GET', path: `/v1/a2a/tasks/${subjectId}` }],
      }),
    split: splitEscrow,
  },
  operation: ({ subjectId }) => ({ category: 'task_payment', operation: 'task.pay', subjectId }),
  // Gap G-332: The payee of a task is named at the claim or with its approval; its transfer is not captured or cancelled by itself (409).
  refuse(_ctx, { status, subjectId }) {
    throw new StateConflict('The transfer pays for a task: approve, dispute or cancel the task.', status, [], {
      next_actions: [{ rel: 'task', actor: 'any', method: 'GET', path: `/v1/a2a/tasks/${subjectId}` }],
    });
  },
};
