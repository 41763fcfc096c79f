// Votes of people who are signed in to a browser session: over GraphQL, by name, and in the audit log (CONTRACT.md 22, 23).
import { describe, expect, it } from 'vitest';
import { transferOf } from '../../factories/approval.js';
import { twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { join, type Person } from '../people/browser.js';

const harness = useHarness();
const approveText = `mutation ($id: ApprovalId!) { approveApproval(id: $id, input: { comment: "Fine." }) {
  missing approval { id status missing votes { member { id name } vote via counts } decidedBy { type id name } } transfer { status } } }`;
const approve = async ({ browser }: Person, { id }: Json) => {
  const { body } = await browser.graphql(approveText, { id });
  return body.errors === undefined ? body.data.approveApproval : body.errors[0].extensions;
};

describe('two people', () => {
  it('say yes by name, and who asked for it does not', async () => {
    const owner = await join(harness, 'owner');
    const finance = await join(harness, 'finance');
    const second = await join(harness, 'owner');
    const viewer = await join(harness, 'viewer');
    const { from, to } = await twoWallets(harness.test, { funded: '100.00' });
    const asking = { threshold: '10.00', currency: 'USD', approvers: { count: 2 } };
    await harness.test.make('/v1/policies', { name: 'Two', target: { type: 'wallet', id: from.id }, rules: [], approval: asking });
    const input = { type: 'internal', fromWalletId: from.id, toWalletId: to.id, amount: '50.00', currency: 'USD' };
    const create = `mutation ($input: CreateTransferInput!) { createTransfer(input: $input) {
      transfer { id initiatedBy { type id name } } approval { id missing requestedBy { type id name } } } }`;
    const { createTransfer } = await owner.browser.ask(create, { input });
    const { name } = (await owner.browser.ask(`{ member(id: "${owner.id}") { name } }`)).member;
    const asker = { type: 'user', id: owner.id, name };
    expect(createTransfer).toMatchObject({ transfer: { initiatedBy: asker }, approval: { missing: 2, requestedBy: asker } });
    const { approval, transfer } = createTransfer;
    expect(await approve(owner, approval)).toMatchObject({ code: 'forbidden', details: { reason: 'own_request' } });
    expect(await approve(viewer, approval)).toMatchObject({ code: 'insufficient_scope' });
    expect(await approve(finance, approval)).toMatchObject({
      missing: 1,
      approval: { status: 'pending', votes: [{ member: { id: finance.id }, vote: 'approve', via: 'console', counts: true }] },
    });
    expect(await approve(second, approval)).toMatchObject({
      missing: null,
      approval: { status: 'approved', missing: 0, decidedBy: { type: 'user', id: second.id } },
      transfer: { status: 'completed' },
    });
    expect(await transferOf(harness.test, transfer)).toMatchObject({ status: 'completed', initiated_by: asker });
    await harness.runDue();
    const { body } = await harness.test.get('/v1/audit-log?action=approveApproval');
    expect(body.data.map(({ actor }: Json) => [actor.type, actor.id, typeof actor.name]).sort()).toEqual(
      [finance, second].map(({ id }) => ['user', id, 'string']).sort(),
    );
  });
});
