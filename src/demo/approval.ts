// The chapter of spend control.
import type { Json, Teller } from './teller.js';

/** An agent hits its budget, reads what is left, asks for approval, and a person approves. */
export async function askForMore(
  teller: Teller,
  company: string,
  session: string,
  { agent, payment }: { agent: string; payment: Json },
): Promise<void> {
  const budget = {
    name: 'What Agent A may spend in a day',
    scope: { type: 'agent', id: agent },
    amount: '20.00',
    currency: 'USDC',
    period: 'day',
    alerts_at: ['0.8'],
  };
  await teller.ask('The company gives A a budget of 20.00 a day', 'POST', '/v1/budgets', company, budget);
  await teller.ask('A pays B 12.50 again: the budget holds that', 'POST', '/v1/transfers', session, payment);
  const refused = await teller.ask('Once more, and the budget refuses', 'POST', '/v1/transfers', session, payment, {}, 403);
  const wayOut = refused['details'].next_actions.find(({ rel }: Json) => rel === 'request_approval');
  if (refused['code'] !== 'budget_exceeded' || wayOut === undefined) throw new Error('the budget did not say what A can do');
  const { data } = await teller.ask('A reads what is left', 'GET', `/v1/agents/${agent}/limits`, session);
  if (data.budgets[0]?.remaining !== '7.50') throw new Error('A did not see what is left of its budget');
  const asked = await teller.ask(
    'A does what the refusal suggests: it asks for approval',
    wayOut.method,
    wayOut.path,
    session,
    wayOut.body,
    {},
    202,
  );
  const approve = `/v1/approvals/${asked['approval'].id}/approve`;
  const approved = await teller.ask('A person at the company says yes', 'POST', approve, company, { comment: 'Go ahead.' });
  if (approved['transfer']?.status !== 'completed') throw new Error('the approved payment did not go through');
}
