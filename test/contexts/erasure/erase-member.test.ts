// POST /v1/members/{id}/erase
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { join, type Person, password } from '../people/browser.js';
import { linesWith } from './marked-rows.js';

const h = useHarness();
let owner: Person;
beforeAll(async () => {
  owner = await join(h, 'owner');
});
const mutation = `mutation ($id: MemberId!) {
  eraseMember(id: $id, input: { reason: "Left the company" }) { id memberId accountId reason status }
}`;
/** What a person is answered in the browser: the erasure, or the error with its code. */
async function erase({ id }: { id: string }, { browser } = owner): Promise<Json> {
  const { data, errors } = (await browser.graphql(mutation, { id })).body;
  return errors === undefined ? data.eraseMember : errors[0].extensions;
}
const verify = async (client = h.test): Promise<Json> => (await client.get('/v1/audit-log/verify')).body.data;

/** A member who was removed. */
async function removed(role: 'developer' | 'finance' = 'developer'): Promise<Person> {
  const person = await join(h, role);
  await owner.browser.ask('mutation ($id: MemberId!) { removeMember(id: $id) { id } }', { id: person.id });
  return person;
}

describe('POST /v1/members/{id}/erase', () => {
  describe('202', () => {
    it('who the member was goes, in both environments; the id stays', async () => {
      const { pool } = h.platform.database;
      const person = await removed();
      const invited = await h.live.make('/v1/invitations', { email: person.email, role: 'viewer' });
      expect((await linesWith(pool, h.platform.database.url, person.email)).length).toBeGreaterThan(2);
      const erasure = await erase(person);
      expect(erasure).toMatchObject({ memberId: person.id, accountId: null, status: 'pending', reason: 'Left the company' });
      await h.runDue();
      await h.runDue();
      const done = (await h.test.get(`/v1/erasures/${erasure.id}`)).body.data;
      expect(done.status).toBe('done');
      expect(done.fields).toBeGreaterThan(5);
      const [elsewhere] = (await h.live.get(`/v1/erasures?member_id=${person.id}`)).body.data;
      expect(elsewhere).toMatchObject({ member_id: person.id, status: 'done' });

      expect(await linesWith(pool, h.platform.database.url, person.email)).toEqual([]);
      const left = (await h.test.get(`/v1/members/${person.id}`)).body.data;
      expect(left).toMatchObject({ id: person.id, name: 'erased', email: 'erased', status: 'removed', role: 'developer', methods: [] });
      expect((await h.test.get(`/v1/invitations/${invited.id}`)).status).toBe(200);
      const { rows } = await pool.query('SELECT FROM password WHERE member_id = $1', [person.id.slice('mem_'.length)]);
      expect(rows).toEqual([]);
      for (const client of [h.test, h.live]) expect(await verify(client)).toMatchObject({ valid: true });
      expect((await verify()).erased).toBeGreaterThan(0);
      const [line] = (await h.test.get('/v1/audit-log?action=member.erase')).body.data;
      expect(line).toMatchObject({ actor: { type: 'system' }, resource_type: 'member', resource_id: person.id });
      // The others are still known.
      expect((await h.test.get(`/v1/members/${owner.id}`)).body.data.email).toBe(owner.email);
    });

    it('again: the same erasure', async () => {
      const person = await removed();
      const first = await erase(person);
      await h.runDue();
      expect(await erase(person)).toMatchObject({ id: first.id, status: 'done' });
    });

    it('by a key, of a member whom a key may remove', async () => {
      const { status, body } = await h.live.post(`/v1/members/${(await removed()).id}/erase`, {});
      expect(status).toBe(202);
      expect(body.data).not.toHaveProperty('account_id');
      await h.runDue();
    });

    it('of two members, who signed in alike', async () => {
      const people = [await removed(), await removed()];
      for (const person of people) expect((await erase(person)).status).toBe('pending');
      await h.runDue();
      const { data } = (await h.test.get('/v1/erasures?status=pending')).body;
      expect(data).toEqual([]);
    });
  });

  it('403: an agent, a member of lower rank, a key for what needs a person, and a sign-in of some time ago', async () => {
    const person = await removed('finance');
    const account = await h.test.make('/v1/accounts', { type: 'person', name: 'A' });
    const agent = await enrol(h.test, { parent_account_id: account.id });
    expectRefused(await h.test.post(`/v1/members/${person.id}/erase`, {}, { as: agent.token }), 403, 'forbidden');
    expectRefused(await h.live.post(`/v1/members/${person.id}/erase`, {}), 403, 'person_required');
    expect((await erase(person, await join(h, 'viewer'))).code).toBe('insufficient_scope');
    h.clock.advance(301);
    expect((await erase(person)).code).toBe('step_up_required');
    expect((await owner.browser.post('/v1/login/step-up', { password })).status).toBe(200);
    expect((await erase(person)).status).toBe('pending');
    await h.runDue();
  });

  it('404: a member who is not there', async () => {
    expectRefused(await h.live.post(`/v1/members/mem_${nowhere}/erase`, {}), 404, 'not_found');
  });

  it('409: a member who was not removed; removing helps', async () => {
    const person = await join(h, 'viewer');
    const refused = await h.live.post(`/v1/members/${person.id}/erase`, {});
    expectRefused(refused, 409, 'state_conflict', { current_status: 'active', allowed_from: ['removed'] });
    expect(refused.body.details.next_actions).toEqual([
      { rel: 'remove', actor: 'any', method: 'DELETE', path: `/v1/members/${person.id}` },
    ]);
  });
});
