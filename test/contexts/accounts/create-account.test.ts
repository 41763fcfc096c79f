// POST /v1/accounts
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const create = (body: unknown) => harness.test.post('/v1/accounts', body);

describe('POST /v1/accounts', () => {
  describe('201', () => {
    it('opens an account and tells of it', async () => {
      const { status, body } = await create({ type: 'person', name: 'Ada Lovelace' });
      const at = harness.clock.now().toISOString();
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        type: 'person',
        name: 'Ada Lovelace',
        status: 'active',
        kyc_tier: 0,
        metadata: {},
        created_at: at,
        updated_at: at,
      });
      expect(await eventsOf(harness, body.data.id)).toEqual([
        { type: 'account.created', data: { account_id: `acc_${body.data.id}`, type: 'person', status: 'active', name: 'Ada Lovelace' } },
      ]);
    });

    it('keeps everything that it is given, free-form metadata as it is', async () => {
      const given = {
        type: 'business',
        name: 'Müller & Söhne 🦊',
        email: 'ada@example.com',
        country: 'DE',
        customer_reference: 'c-1',
        default_currency: 'EUR',
        metadata: { a_b: { cD: [1, null, 'x'] }, empty: null },
      };
      const { body } = await create(given);
      expect(body.data).toMatchObject(given);
      expect((await harness.test.get(`/v1/accounts/${body.data.id}`)).body.data).toEqual(body.data);
    });

    it('drops the white space around a name, and takes null for what may be left out', async () => {
      const { status, body } = await create({ type: 'person', name: '  Ada  ', email: null, country: null, metadata: null });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({ name: 'Ada', metadata: {} });
      expect(body.data).not.toHaveProperty('email');
    });
  });

  describe('400', () => {
    const good = { type: 'person', name: 'Ada' };
    const cases: [string, unknown, string[]][] = [
      ['nothing', {}, ['type', 'name']],
      ['an unknown type', { ...good, type: 'robot' }, ['type']],
      ['a type in capitals', { ...good, type: 'PERSON' }, ['type']],
      ['no name', { type: 'person', name: null }, ['name']],
      ['a blank name', { ...good, name: '   ' }, ['name']],
      ['a name of 201 characters', { ...good, name: 'x'.repeat(201) }, ['name']],
      ['a name that is a number', { ...good, name: 1 }, ['name']],
      ['a name with NUL', { ...good, name: 'a\u0000b' }, ['name']],
      ['a name with half a character', { ...good, name: 'a\ud800b' }, ['name']],
      ['an e-mail that is none', { ...good, email: 'ada' }, ['email']],
      ['a country of three letters', { ...good, country: 'DEU' }, ['country']],
      ['an unknown currency', { ...good, default_currency: 'XAU' }, ['default_currency']],
      ['metadata that are a list', { ...good, metadata: [] }, ['metadata']],
      ['an unknown member', { ...good, emial: 'ada@example.com' }, ['emial']],
      ['a member in another case', { ...good, customerReference: 'c' }, ['customerReference']],
    ];
    for (const [name, body, paths] of cases) it(name, async () => expectInvalid(await create(body), ...paths));

    it('says what was probably meant', async () => {
      const { body } = await create({ ...good, emial: 'ada@example.com' });
      expect(body.details.fields[0].message).toContain('email');
    });

    it('no object, and no JSON', async () => {
      expectRefused(await create([]), 400, 'invalid_json');
      expectRefused(await harness.test.post('/v1/accounts', undefined, { raw: '{"type":' }), 400, 'invalid_json');
    });
  });
});
