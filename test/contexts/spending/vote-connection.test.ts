// Votes on what a connected program asks for: the person who let it connect has asked too, where two or more have to vote (CONTRACT.md 23).
import { expect, it } from 'vitest';
import { spender } from '../../factories/approval.js';
import { type Json, useHarness } from '../../harness.js';
import { eras } from '../../mcp/era.js';
import { connectProgram } from '../connections/program.js';
import { join, type Person } from '../people/browser.js';

const harness = useHarness();

const text = 'mutation ($id: ApprovalId!) { approveApproval(id: $id, input: {}) { approval { status } } }';
/** What comes of a person's yes: the status of the approval, or the reason of the refusal. */
async function approve({ browser }: Person, { id }: Json): Promise<string> {
  const { body } = await browser.graphql(text, { id });
  return body.errors?.[0].extensions.details.reason ?? body.data.approveApproval.approval.status;
}

it.each(eras)('who connected the program that asked is one of one, and none of two: %s', async (_, open) => {
  const [ada, bob] = [await join(harness, 'owner'), await join(harness, 'finance')];
  for (const [count, comes] of [
    [1, 'approved'],
    [2, 'own_request'],
  ] as const) {
    const agent = await spender(harness);
    const approval = { threshold: '1.00', currency: 'USD', approvers: { count } };
    await harness.test.make('/v1/policies', { name: 'People', target: { type: 'agent', id: agent.id }, rules: [], approval });
    const { accessToken } = await connectProgram(ada, { agent_id: agent.id });
    await using program = await open(harness.test.url, accessToken);
    const payment = { from_wallet_id: agent.wallet.id, to_wallet_id: agent.payee.id, amount: '5.00', currency: 'USD' };
    const { approval: asked } = await program.call('pay', payment);
    expect(await approve(ada, asked)).toBe(comes);
    if (count === 2) expect(await approve(bob, asked)).toBe('pending');
  }
});
