// Tasks, as tests of every operation need them.
import type { Example } from '../../example.js';
import { storedTask } from '../../factories/task.js';
import { enrol } from '../agents/identity.js';

type Before = Required<Example>['before'][string];

const accepted: Before = ({ client }, { task }) => client.make(`/v1/a2a/tasks/${task}/respond`, { action: 'accept' });

/** A step of the task after others. */
const after =
  (before: Before, step: string, body: object = {}): Before =>
  async (world, made) => {
    await before(world, made);
    await world.client.make(`/v1/a2a/tasks/${made['task']}/${step}`, body);
  };
const started = after(accepted, 'start');
const delivered = after(started, 'complete', { deliverable: { text: 'Good day' } });

export const example: Example = {
  stored: async ({ harness, client }) => ({ task: (await storedTask(harness, client)).id }),
  made: async ({ client, agent, wallet, payee }) => {
    const hand = await enrol(client, { parent_account_id: payee.account.id });
    const sides = { from_agent_id: agent.id, to_agent_id: hand.id };
    const payment = { amount: '1.00', currency: 'USD', method: 'wallet', from_wallet_id: wallet.id };
    return { task: (await client.make('/v1/a2a/tasks', { ...sides, skill_id: 'translate', payload: {}, payment })).id };
  },
  bodies: {
    // Paid where that is what it is about; given by its colleague where the agent is to work.
    createTask: ({ agent, colleague, wallet, mandate_jwt }, member) => {
      const way =
        member === 'mandate_id' ? { method: 'ap2', mandate_jwt } : { method: 'wallet', ...(member === '' && { from_wallet_id: wallet }) };
      return {
        from_agent_id: member === 'to_agent_id' ? colleague : agent,
        skill_id: 'translate',
        ...(['', 'from_wallet_id', 'mandate_id'].includes(member) && { payment: { amount: '1.00', currency: 'USD', ...way } }),
      };
    },
  },
  before: {
    startTask: accepted,
    progressTask: accepted,
    completeTask: accepted,
    failTask: accepted,
    requestTaskInput: started,
    answerTaskInput: after(started, 'request-input', { message: 'Formal?' }),
    approveTask: delivered,
    disputeTask: delivered,
    rateTask: delivered,
  },
  // A task may be about a skill that nobody has.
  free: { createTask: ['skill_id'] },
};
