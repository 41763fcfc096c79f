// POST /v1/cards/vault
import { describe, expect, it } from 'vitest';
import { cardBody, newCard } from '../../factories/card.js';
import { newAccount } from '../../factories/payment.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/cards/vault';
const number = '4242 4242 4242 4242';
const address = { line1: '1 Main St', line2: 'Flat 2', city: 'Berlin', state: 'BE', postal_code: '10115', country: 'DE' };
const create = async (extra: object, account?: { id: string }) =>
  harness.test.post(path, cardBody((account ?? (await newAccount(harness.test))).id, extra));

describe('POST /v1/cards/vault', () => {
  describe('201', () => {
    it('a card, without its token', async () => {
      const { account, uuid } = await enrol(harness.test);
      const { status, body } = await create({ agent_id: uuid, label: 'Travel', billing_address: address }, account);
      expect([status, body.data]).toEqual([
        201,
        {
          id: expect.stringMatching(/^card_/),
          account_id: account.id,
          agent_id: uuid,
          processor: 'simulated',
          card_last_four: '4242',
          card_brand: 'visa',
          expiry_month: 12,
          expiry_year: 2030,
          label: 'Travel',
          billing_address: address,
          status: 'active',
          created_at: harness.clock.now().toISOString(),
        },
      ]);
    });

    it('what is left out is left out', async () => {
      const { line2: _, state: __, ...short } = address;
      const { billing_address, ...rest } = await newCard(harness.test, { billing_address: short });
      expect(billing_address).toEqual(short);
      expect(rest).not.toHaveProperty('agent_id');
      expect(rest).not.toHaveProperty('label');
    });

    it('with its token encrypted, bound to its row', async () => {
      const { id } = await newCard(harness.test, { processor_token: 'tok_secret' });
      const row = await harness.platform.database.unscoped.vaultedCard.findFirstOrThrow({ where: { id: id.slice(5) } });
      const sealed = Buffer.from(row.sealedToken ?? []);
      expect(JSON.stringify({ ...row, sealedToken: sealed.toString('latin1') })).not.toContain('tok_secret');
      expect(harness.platform.vault.open(sealed, row.id)).toBe('tok_secret');
      expect(() => harness.platform.vault.open(sealed, nowhere)).toThrow();
    });

    it('one that is good to the end of this month', async () => {
      const now = harness.clock.now();
      const month = { expiry_month: now.getUTCMonth() + 1, expiry_year: now.getUTCFullYear() };
      expect(await newCard(harness.test, month)).toMatchObject({ status: 'active' });
    });
  });

  describe('400', () => {
    it.each([
      [{ processor: 'nobody' }, 'processor'],
      [{ processor: 'simulated-us' }, 'processor'],
      [{ card_last_four: '424' }, 'card_last_four'],
      [{ card_last_four: '42x2' }, 'card_last_four'],
      [{ card_brand: 'gold' }, 'card_brand'],
      [{ expiry_month: 13 }, 'expiry_month'],
      [{ expiry_month: 0 }, 'expiry_month'],
      [{ expiry_year: 30 }, 'expiry_year'],
      [{ expiry_month: 1, expiry_year: 2026 }, 'expiry_year'],
      [{ processor_token: ' ' }, 'processor_token'],
      [{ label: 'x'.repeat(101) }, 'label'],
      [{ billing_address: { ...address, country: 'Germany' } }, 'billing_address.country'],
      [{ billing_address: { ...address, postal_code: undefined } }, 'billing_address.postal_code'],
      [{ number }, 'number'],
    ])('for %o', async (extra, member) => expectInvalid(await create(extra), member));

    it('for an agent of another account', async () => {
      const { uuid } = await enrol(harness.test);
      expectInvalid(await create({ agent_id: uuid }), 'agent_id');
    });

    it('in production, where no processor is connected', async () => {
      const account = await newAccount(harness.live);
      expectInvalid(await harness.live.post(path, cardBody(account.id)), 'processor');
    });
  });

  describe('404', () => {
    it('for an account or an agent of nobody, and of another tenant', async () => {
      const foreign = await newAccount(harness.other);
      for (const id of [nowhere, foreign.id])
        expectRefused(await create({}, { id }), 404, 'not_found', { fields: [{ path: 'account_id' }] });
      const { uuid } = await enrol(harness.other);
      for (const id of [nowhere, uuid]) expectRefused(await create({ agent_id: id }), 404, 'not_found', { fields: [{ path: 'agent_id' }] });
    });
  });

  describe('409', () => {
    it('for an account that is closed', async () => {
      const account = await newAccount(harness.test);
      await harness.test.patch(`/v1/accounts/${account.id}`, { status: 'closed' });
      expectRefused(await create({}, account), 409, 'state_conflict', { current_status: 'closed' });
    });

    it('for an agent that is revoked', async () => {
      const { account, id, uuid } = await enrol(harness.test);
      await harness.test.post(`/v1/agents/${id}/revoke`, {});
      expectRefused(await create({ agent_id: uuid }, account), 409, 'state_conflict', { current_status: 'revoked' });
    });
  });

  describe('422', () => {
    it.each([
      [{ processor_token: number }, 'processor_token'],
      [{ processor: number }, 'processor'],
      [{ card_last_four: number }, 'card_last_four'],
      [{ card_brand: '4242-4242-4242-4242' }, 'card_brand'],
      [{ label: `Mine (${number})` }, 'label'],
      [{ billing_address: { ...address, line2: number } }, 'billing_address.line2'],
      [{ billing_address: { ...address, country: '4242424242424242' } }, 'billing_address.country'],
    ])('for the number of a card, whatever else is wrong: %o', async (extra, member) => {
      const answer = await create({ card_brand: 'gold', ...extra });
      expectRefused(answer, 422, 'validation_failed', { fields: [{ path: member, rule: 'card_number' }], retry: { safe: true } });
      expect(JSON.stringify(answer.body)).not.toContain('4242');
    });
  });
});
