// What a person answers to a program (CONTRACT.md 22; security property 12).
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { join, type Person, password } from '../people/browser.js';
import { allow, allowance, Browser, connectProgram, cookiesOf, Program } from './program.js';

const harness = useHarness();
let person: Person;
let agent: Json;
let account: Json;
let program: Program;

beforeAll(async () => {
  person = await join(harness, 'owner');
  ({ account } = await openWallet(harness.test));
  agent = await newAgent();
  program = await Program.register(harness.test.url);
});

const newAgent = () => harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Buyer', wallet: { currency: 'USD' } });

describe('the consent', () => {
  it('shows who asks, and where the answer goes', async () => {
    const web = await Program.register(harness.test.url, { client_name: 'Claude <b>', redirect_uris: ['https://stranger.example/cb'] });
    const browser = new Browser();
    const uid = await web.begin(browser, { redirect_uri: 'https://stranger.example/cb' });
    const { status, body } = await person.browser.get(`/v1/connect/${uid}`, cookiesOf(person, browser));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      client: { name: 'Claude <b>', kind: 'registered', host: 'stranger.example' },
      redirect_host: 'stranger.example',
      is_loopback: false,
      scopes: ['agent:read', 'agent:act'],
    });
    expect(body.data.agents).toContainEqual(expect.objectContaining({ id: agent.id, name: 'Buyer' }));
    expect(body.data.accounts).toContainEqual({ id: account.id, name: 'Ada' });
  });

  it('is 404 in another browser', async () => {
    const uid = await program.begin(new Browser());
    const other = new Browser();
    await program.begin(other);
    const cookies = cookiesOf(person, other);
    expect((await person.browser.get(`/v1/connect/${uid}`, cookies)).status).toBe(404);
    expect((await allow(person, other, uid, { agent_id: agent.id })).status).toBe(404);
    expect((await person.browser.post(`/v1/connect/${uid}/deny`, undefined, cookies)).status).toBe(404);
    expect((await allow(person, new Browser(), uid, { agent_id: agent.id })).status).toBe(404);
  });

  it('is for people alone', async () => {
    const browser = new Browser();
    const uid = await program.begin(browser);
    const input = { ...allowance, agent_id: agent.id };
    const answer = await harness.test.post(`/v1/connect/${uid}`, input, { headers: { Cookie: browser.cookie } });
    expect([answer.status, answer.body.code, answer.body.details.reason]).toEqual([403, 'forbidden', 'person_required']);
  });

  it('asks in live for somebody who has just signed in', async () => {
    const live = await Program.register(harness.live.url);
    const browser = new Browser();
    const uid = await live.begin(browser);
    const { account: real } = await openWallet(harness.live);
    const input = { agent: { name: 'Buyer', parent_account_id: real.id, currency: 'USD' } };
    const owner = await join(harness, 'owner', { client: harness.live });
    harness.clock.advance(301);
    expectRefused(await allow(owner, browser, uid, input), 403, 'step_up_required');
    expect((await owner.browser.post('/v1/login/step-up', { password })).status).toBe(200);
    const soon = await allow(owner, browser, uid, input);
    expect(soon.status).toBe(200);
  });

  it('is asked again for the same client in the same browser', async () => {
    const { program: own, browser } = await connectProgram(person, { agent_id: agent.id });
    expect(await own.begin(browser)).toMatch(/^[\w-]{43}$/);
  });

  it('is answered once, of many times at once', async () => {
    const other = await newAgent();
    const browser = new Browser();
    const uid = await program.begin(browser);
    const answers = await Promise.all(Array.from({ length: 10 }, () => allow(person, browser, uid, { agent_id: other.id })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await harness.test.get(`/v1/connections?agent_id=${other.id}`)).body.data).toHaveLength(1);
    expect((await allow(person, browser, uid, { agent_id: other.id })).status).toBe(404);
  });

  it('tells the program when a person says no', async () => {
    const browser = new Browser();
    const uid = await program.begin(browser);
    const answer = await person.browser.post(`/v1/connect/${uid}/deny`, undefined, cookiesOf(person, browser));
    expect(answer.status).toBe(200);
    const back = await program.codeFrom(browser, answer.body.data.redirect_to);
    expect([back.get('error'), back.get('code')]).toEqual(['access_denied', null]);
  });

  it.each<[string, () => object, string]>([
    ['no agent', () => ({}), 'agent_id'],
    ['two agents', () => ({ agent_id: agent.id, agent: { name: 'x', parent_account_id: account.id, currency: 'USD' } }), 'agent_id'],
    ['a purse of nothing', () => ({ agent_id: agent.id, budget: { ...allowance.budget, amount: '0.00' } }), 'budget.amount'],
    ['no purse to pay from', () => ({ agent_id: agent.id, budget: null }), 'budget'],
    ['an end in a minute', () => ({ agent_id: agent.id, expires_in: 60 }), 'expires_in'],
    ['an end in 91 days', () => ({ agent_id: agent.id, expires_in: 7_862_400 }), 'expires_in'],
    ['a scope that there is not', () => ({ agent_id: agent.id, scopes: ['agent:admin'] }), 'scopes.0'],
    ['a scope twice', () => ({ agent_id: agent.id, scopes: ['agent:read', 'agent:read'] }), 'scopes'],
    ['no scope', () => ({ agent_id: agent.id, scopes: [] }), 'scopes'],
  ])('refuses %s', async (_, input, path) => {
    const browser = new Browser();
    const uid = await program.begin(browser);
    const answer = await allow(person, browser, uid, { ...input() });
    expect([answer.status, answer.body.details.fields?.[0]?.path]).toEqual([400, path]);
  });

  it('gives no more than the program asks for', async () => {
    const browser = new Browser();
    const uid = await program.begin(browser, { scope: 'agent:read' });
    const answer = await allow(person, browser, uid, { agent_id: agent.id });
    expect([answer.status, answer.body.details.fields[0].path]).toEqual([400, 'scopes.1']);
  });

  it('refuses a frozen agent, and one of another workspace', async () => {
    const frozen = await newAgent();
    await harness.test.make(`/v1/agents/${frozen.id}/freeze`, {});
    const browser = new Browser();
    const uid = await program.begin(browser);
    expect((await allow(person, browser, uid, { agent_id: frozen.id })).status).toBe(409);
    const { account: theirs } = await openWallet(harness.other);
    const stranger = await harness.other.make('/v1/agents', { parent_account_id: theirs.id, name: 'Stranger' });
    expect((await allow(person, browser, uid, { agent_id: stranger.id })).status).toBe(404);
    // Nothing of it counted as the answer.
    expect((await allow(person, browser, uid, { agent_id: agent.id })).status).toBe(200);
  });

  it('connects at most 20 programs to an agent', async () => {
    const busy = await newAgent();
    await harness.platform.database.pool.query(
      `INSERT INTO connection (workspace_id, id, agent_id, member_id, client_id, client_name, redirect_host, is_loopback, resource, scopes, created_at, expires_at)
       SELECT workspace_id, gen_random_uuid(), id, gen_random_uuid(), 'c', 'c', 'c', false, 'c', '{}', $2, $2::timestamptz + interval '1 day'
       FROM agent, generate_series(1, 20) WHERE id = $1`,
      [busy.id.slice(4), harness.clock.now()],
    );
    const browser = new Browser();
    const uid = await program.begin(browser);
    const answer = await allow(person, browser, uid, { agent_id: busy.id });
    expect([answer.status, answer.body.details.limit]).toEqual([409, { name: 'connections', max: 20, used: 20 }]);
  });

  it('opens an agent with a wallet where one is asked for', async () => {
    const { connection } = await connectProgram(person, {
      agent: { name: 'Claude of Ada', parent_account_id: account.id, currency: 'EUR' },
    });
    const { body } = await harness.test.get(`/v1/wallets?owner_type=agent&owner_id=${connection.agent_id}`);
    expect(body.data).toMatchObject([{ currency: 'EUR' }]);
  });
});
