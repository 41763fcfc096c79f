// GET and PUT /v1/approval-notices, POST /v1/approval-notices/test: mail to those who may vote.
import { beforeAll, describe, expect, it } from 'vitest';
import { spender } from '../../factories/approval.js';
import { newVoter, newVoters, printed, type Voter } from '../../factories/voter.js';
import { type Json, useHarness } from '../../harness.js';
import { type MailServer, startMailServer } from '../../mail-server.js';
import { expectInvalid } from '../../refusal.js';

const server = await startMailServer();
const harness = useHarness({ env: server.env });
const put = (body: object) => harness.test.put('/v1/approval-notices', body);
const sent = async (): Promise<MailServer['mails']> => {
  await harness.runDue();
  await harness.runDue();
  return server.mails.splice(0).sort((a, b) => (a.recipient < b.recipient ? -1 : 1));
};

let ada: Voter;
let bob: Voter;
beforeAll(async () => {
  [ada, bob] = (await newVoters(harness, 2)) as [Voter, Voter];
  await newVoter(harness, { authority: null });
});
async function asked(approvers: object): Promise<Json> {
  const agent = await spender(harness);
  const approval = { threshold: '1.00', currency: 'USD', approvers };
  await harness.test.make('/v1/policies', { name: 'People', target: { type: 'agent', id: agent.id }, rules: [], approval });
  return (await agent.wait('30.00')).approval;
}

describe('200', () => {
  it('nobody is told by default', async () => {
    expect((await harness.test.get('/v1/approval-notices')).body).toEqual({ data: { mail: false, mail_configured: true } });
    await asked({ count: 2 });
    expect(await sent()).toEqual([]);
  });

  it('with mail each who may vote is told once, with a link to the approval and no secret', async () => {
    expect((await put({ mail: true })).body).toEqual({ data: { mail: true, mail_configured: true } });
    expect((await harness.test.get('/v1/approval-notices')).body.data.mail).toBe(true);
    const approval = await asked({ count: 2 });
    const told = await sent();
    expect(told.map(({ subject }) => subject)).toEqual(Array(2).fill('30.00 USD wait for an approval'));
    for (const { text } of told) {
      expect(text).toContain(`/console/approvals/${approval.id}`);
      expect(text).toContain('2 people have to approve it');
      expect(text).not.toMatch(/#|token/);
    }
    expect(await sent()).toEqual([]);
    const named = await asked({ member_ids: [printed(bob)] });
    const [only, ...more] = await sent();
    expect([only?.text?.includes(named.id), more]).toEqual([true, []]);
    await harness.advance(3_600);
    expect((await harness.test.get(`/v1/approvals/${named.id}`)).body.data.status).toBe('expired');
    expect(await sent()).toEqual([]);
    await bob.set('authority_max = 2999');
    await ada.set("status = 'suspended'");
    await newVoter(harness);
    await asked({ count: 1 });
    expect(await sent()).toHaveLength(1);
    await put({ mail: false });
    await asked({ count: 1 });
    expect(await sent()).toEqual([]);
  });

  it('a test goes to each who decides anything', async () => {
    const { status, body } = await harness.test.post('/v1/approval-notices/test', {});
    expect([status, body.data.mailed]).toEqual([200, 2]);
    expect((await sent()).map(({ subject }) => subject)).toEqual(Array(2).fill('A test of approval notices'));
  });
});

describe('400', () => {
  it('without `mail`, and with a member that is none', async () => {
    expectInvalid(await put({}), 'mail');
    expectInvalid(await put({ mail: true, links: 'decide' }), 'links');
  });
});
