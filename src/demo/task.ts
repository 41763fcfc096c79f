// The chapter of tasks.
import type { Json, Teller } from './teller.js';

/** Who gives, and who could work. */
interface Sides {
  /** The credential of the agent that gives. */
  sender: string;
  /** The account and the token of the agents that work. */
  account: string;
  token: string;
}

/** An agent offers a task with money in escrow. Two race for it; the first one works, is paid, and each rates the other. */
export async function raceForTask(teller: Teller, company: string, { sender, account, token }: Sides): Promise<void> {
  const body = { parent_account_id: account, name: 'Agent C', wallet: { currency: 'USDC' } };
  const { credentials } = await teller.ask('A third agent joins, C', 'POST', '/v1/agents', company, body);
  const offer = {
    skill_id: 'translate',
    payload: { text: 'Guten Tag', to: 'en' },
    payment: { amount: '2.00', currency: 'USDC', method: 'wallet' },
    acceptance: { json_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } },
  };
  const { data: task } = await teller.ask(
    'A offers a task to whoever claims it; the money is in escrow',
    'POST',
    '/v1/a2a/tasks',
    sender,
    offer,
  );
  const path = `/v1/a2a/tasks/${task.id}`;
  const racers = [`Bearer ${token}`, `Bearer ${credentials.token}`];
  const answers = await teller.race('B and C claim it at the same moment', 'POST', `${path}/claim`, racers);
  const won = answers.findIndex(({ status }) => status === 200);
  const lost = answers.find(({ status }) => status === 409)?.body as Json | undefined;
  if (won === -1 || lost?.['code'] !== 'task_already_claimed') throw new Error('the race had no winner, or two');
  const worker = racers[won] ?? '';
  const wrong = { deliverable: { words: 2 } };
  await teller.ask('The winner delivers what was not asked for', 'POST', `${path}/complete`, worker, wrong, {}, 400);
  await teller.ask('And then what was', 'POST', `${path}/complete`, worker, { deliverable: { text: 'Good day' } });
  const { data: paid } = await teller.ask('A approves: the worker is paid, and rated', 'POST', `${path}/approve`, sender, { rating: 5 });
  const { data: rated } = await teller.ask('And rates A in turn', 'POST', `${path}/rate`, worker, { rating: 4, feedback: 'Pays at once' });
  if (paid.payment.status !== 'released' || rated.sender_rating !== 4) throw new Error('the task was not paid');
}
