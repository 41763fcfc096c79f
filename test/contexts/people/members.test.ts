// PATCH /v1/members/{id}, DELETE, sign-out and recover; and that nobody gives what he has not.
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/schema/id.js';
import { type Answer, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { Browser, join, type Person, password, tokenOf } from './browser.js';

const harness = useHarness();
const update =
  'mutation ($id: MemberId!, $input: UpdateMemberInput!) { updateMember(id: $id, input: $input) { id role status authority { maxAmount currency } } }';
const remove = 'mutation ($id: MemberId!) { removeMember(id: $id) { id } }';
const invite = 'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { id link status } }';
const recover = 'mutation ($id: MemberId!) { recoverMember(id: $id) { link expiresAt } }';
const errorOf = ({ body }: Answer) => {
  const { code, details } = body.errors?.[0].extensions ?? {};
  return code === undefined ? 'done' : [code, details?.reason].filter(Boolean).join(' ');
};
let owner: Person;
beforeAll(async () => {
  owner = await join(harness, 'owner');
});

describe('nobody gives what he has not', () => {
  it('as a person', async () => {
    const [admin, viewer] = [await join(harness, 'admin'), await join(harness, 'viewer')];
    const ask = async (person: Person, input: object, id = viewer.id) => errorOf(await person.browser.graphql(update, { id, input }));
    expect(await ask(admin, { role: 'developer' })).toBe('done');
    expect(await ask(admin, { role: 'admin' })).toBe('done');
    for (const role of ['finance', 'owner']) expect(await ask(admin, { role })).toBe('forbidden role_exceeded');
    expect(await ask(admin, { role: 'viewer' }, owner.id)).toBe('forbidden role_exceeded');
    expect(await ask(admin, { authority: { maxAmount: '1.00', currency: 'USD' } })).toBe('forbidden authority_exceeded');
    expect(await ask(viewer, { role: 'owner' }, viewer.id)).toBe('forbidden role_exceeded');
    expect(await ask(owner, { role: 'viewer', authority: { maxAmount: '100.00', currency: 'EUR' } })).toBe('done');
    expect(errorOf(await admin.browser.graphql(remove, { id: viewer.id }))).toBe('forbidden authority_exceeded');
    expect(errorOf(await admin.browser.graphql(recover, { id: owner.id }))).toBe('forbidden role_exceeded');
    expect(errorOf(await admin.browser.graphql(invite, { input: { email: 'x@example.com', role: 'finance' } }))).toBe(
      'forbidden role_exceeded',
    );
  });

  it('as a key', async () => {
    const viewer = await join(harness, 'viewer');
    const { live, test } = harness;
    const body = { email: 'programmer@example.com', role: 'developer' };
    expectRefused(await test.post('/v1/invitations', body), 403, 'forbidden', { reason: 'live_key_required' });
    const made = await live.post('/v1/invitations', body);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ role: 'developer', status: 'pending', link: expect.stringContaining('/console/join#join_') });
    // A link that a key has made ends with the key; a roll ends none.
    const key = await live.make('/v1/api-keys', { name: 'Inviting' });
    const invited = async (as: string, email: string) => (await live.post('/v1/invitations', { ...body, email }, { as })).body.data;
    const ends = await invited(key.key, 'ends@example.com');
    const { key: rolledKey } = await live.make('/v1/api-keys', { name: 'Rolled' });
    const stays = await invited(rolledKey, 'stays@example.com');
    const { id: rolledId } = (await live.get('/v1/api-keys?limit=1')).body.data[0];
    expect((await live.post(`/v1/api-keys/${rolledId}/roll`, {})).status).toBe(201);
    await live.delete(`/v1/api-keys/${key.id}`);
    const statusOf = async ({ id }: { id: string }) => (await live.get(`/v1/invitations/${id}`)).body.data.status;
    expect([await statusOf(ends), await statusOf(stays)]).toEqual(['revoked', 'pending']);
    const late = await new Browser(harness.test).post('/v1/login/join', { token: tokenOf(ends.link), name: 'Eve', password });
    expectRefused(late, 401, 'sign_in_failed');
    for (const role of ['owner', 'admin', 'finance'])
      expectRefused(await live.post('/v1/invitations', { ...body, role }), 403, 'person_required');
    const authority = { max_amount: '1.00', currency: 'USD' };
    expectRefused(await live.post('/v1/invitations', { ...body, authority }), 403, 'person_required');
    expectRefused(await live.patch(`/v1/members/${owner.id}`, { role: 'viewer' }), 403, 'person_required');
    expectRefused(await live.patch(`/v1/members/${viewer.id}`, { role: 'admin' }), 403, 'person_required');
    expectRefused(await live.post(`/v1/members/${viewer.id}/recover`), 403, 'person_required');
    expect((await live.patch(`/v1/members/${viewer.id}`, { role: 'developer' })).status).toBe(200);
    expect((await live.delete(`/v1/members/${viewer.id}`)).body.data).toEqual({ id: viewer.id, deleted: true });
    expectRefused(await live.patch(`/v1/members/${viewer.id}`, { role: 'viewer' }), 409, 'state_conflict', { current_status: 'removed' });
  });

  it('asks for a sign-in of the last five minutes', async () => {
    const viewer = await join(harness, 'viewer');
    harness.clock.advance(301);
    const { extensions } = (await owner.browser.graphql(update, { id: viewer.id, input: { role: 'admin' } })).body.errors[0];
    expect(extensions).toMatchObject({ code: 'step_up_required', details: { max_age: 300, methods: ['password'] } });
    expectRefused(await owner.browser.post('/v1/login/step-up', { password: 'something else!' }), 401, 'sign_in_failed');
    expect((await owner.browser.post('/v1/login/step-up', { password })).status).toBe(200);
    expect(errorOf(await owner.browser.graphql(update, { id: viewer.id, input: { role: 'admin' } }))).toBe('done');
  });
});

it('recovers a member, and ends what the member signed in with', async () => {
  const member = await join(harness, 'developer');
  const { recoverMember } = await owner.browser.ask(recover, { id: member.id });
  const browser = new Browser(harness.test);
  const token = tokenOf(recoverMember.link);
  const back = await browser.post('/v1/login/join', { token, password: 'another olive quartz tide' });
  expect(back.status).toBe(201);
  expectRefused(await member.browser.get('/v1/me'), 401, 'login_expired');
  expectRefused(await new Browser(harness.test).signIn(member.email), 401, 'sign_in_failed');
  expect((await new Browser(harness.test).signIn(member.email, 'another olive quartz tide')).status).toBe(200);
  expectRefused(await new Browser(harness.test).post('/v1/login/join', { token, password }), 401, 'sign_in_failed');
});

describe('what a member has given ends', () => {
  const input = (role: string, authority: object | null) => ({ email: `${role}-${newId(new Date())}@example.com`, role, authority });
  const million = { maxAmount: '1000000.00', currency: 'USD' };
  const joinBy = (link: string) => {
    const joining = { token: tokenOf(link), name: 'Puppet', password: 'another olive quartz tide' };
    return new Browser(harness.test).post('/v1/login/join', joining);
  };

  it('with his authority', async () => {
    const admin = await join(harness, 'admin');
    await owner.browser.ask(update, { id: admin.id, input: { authority: million } });
    const { createInvitation } = await admin.browser.ask(invite, { input: input('admin', million) });
    await owner.browser.ask(update, { id: admin.id, input: { authority: { maxAmount: '10.00', currency: 'USD' } } });
    expectRefused(await joinBy(createInvitation.link), 401, 'sign_in_failed');
  });

  it('not with more authority, and with the membership the links of recoveries too', async () => {
    const [admin, victim] = [await join(harness, 'admin'), await join(harness, 'developer')];
    const { createInvitation } = await admin.browser.ask(invite, { input: input('viewer', null) });
    const { recoverMember } = await admin.browser.ask(recover, { id: victim.id });
    await owner.browser.ask(update, { id: admin.id, input: { authority: million } });
    expect((await joinBy(createInvitation.link)).status).toBe(201);
    await owner.browser.ask(update, { id: admin.id, input: { status: 'suspended' } });
    expectRefused(await joinBy(recoverMember.link), 401, 'sign_in_failed');
    expect((await new Browser(harness.test).signIn(victim.email)).status).toBe(200);
  });
});

it('gives no key what decides any amount, who decides up to one', async () => {
  const make = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { scopes } }';
  const second = await join(harness, 'owner');
  expect((await second.browser.ask(make, { input: { name: 'All' } })).createApiKey.scopes).toEqual(['*']);
  await owner.browser.ask(update, { id: second.id, input: { authority: { maxAmount: '10.00', currency: 'USD' } } });
  for (const scopes of [['*'], ['approvals:decide']])
    expect(errorOf(await second.browser.graphql(make, { input: { name: 'Decides', scopes } }))).toBe('insufficient_scope');
  const { createApiKey } = await second.browser.ask(make, { input: { name: 'Rest' } });
  expect(createApiKey.scopes).toContain('transfers:write');
  expect(createApiKey.scopes).not.toContain('approvals:decide');
});

it('the last owner stays, of 50 who are demoted, suspended and removed at once', async () => {
  const tenantId = (await harness.other.get('/v1/me')).body.data.tenant_id;
  const of = { client: harness.other, tenantId };
  const owners = [await join(harness, 'owner', of), await join(harness, 'owner', of)] as const;
  const before = (await harness.other.get('/v1/members?role=owner&status=active')).body.data.length;
  expect(before).toBe(2);
  const attempts = Array.from({ length: 50 }, (_, n) => {
    const [by, id] = [owners[n % 2] as Person, owners[(n + (n % 4 < 2 ? 0 : 1)) % 2]?.id];
    if (n % 3 === 0) return by.browser.graphql(remove, { id });
    return by.browser.graphql(update, { id, input: n % 3 === 1 ? { role: 'viewer' } : { status: 'suspended' } });
  });
  const outcomes = (await Promise.all(attempts)).map(errorOf);
  expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThan(0);
  expect((await harness.other.get('/v1/members?role=owner&status=active')).body.data).toHaveLength(1);
  const [left] = (await harness.other.get('/v1/members?role=owner&status=active')).body.data;
  const survivor = owners.find(({ id }) => id === left.id) as Person;
  expect(errorOf(await survivor.browser.graphql(update, { id: left.id, input: { status: 'suspended' } }))).toBe(
    'state_conflict last_owner',
  );
  expect(errorOf(await survivor.browser.graphql(remove, { id: left.id }))).toBe('state_conflict last_owner');
});
