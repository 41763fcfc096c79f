// POST /v1/bank-accounts
import { describe, expect, it } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { newBankAccount, rightDetails } from '../../factories/payout.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/bank-accounts';
const bodyOf = (accountId: string, rail: string, details: object | undefined = rightDetails[rail], extra: object = {}) => ({
  account_id: accountId,
  rail,
  holder_name: 'Ada Lovelace',
  details,
  ...extra,
});

describe('POST /v1/bank-accounts', () => {
  describe('201', () => {
    it.each([
      ['ach', '6789'],
      ['wire', '3000'],
      ['sepa', '3000'],
      ['pix', '4725'],
      ['spei', '9719'],
    ])('of %s, of which the end is shown and nothing else', async (rail, last4) => {
      const account = await newAccount(harness.test);
      const { status, body } = await harness.test.post(path, bodyOf(account.id, rail));
      const now = harness.clock.now().toISOString();
      expect([status, body.data]).toEqual([
        201,
        {
          id: expect.stringMatching(/^ba_/),
          account_id: account.id,
          rail,
          holder_name: 'Ada Lovelace',
          last4,
          is_default: true,
          status: 'active',
          created_at: now,
          updated_at: now,
        },
      ]);
    });

    it('with its details encrypted, bound to its row', async () => {
      const account = await newAccount(harness.test);
      const { id } = await newBankAccount(harness.test, account.id);
      const row = await harness.platform.database.unscoped.bankAccount.findFirstOrThrow({ where: { id: id.slice(3) } });
      const sealed = Buffer.from(row.sealedDetails ?? []);
      expect(sealed.toString('latin1')).not.toContain('123456789');
      expect(JSON.parse(harness.platform.vault.open(sealed, row.id))).toEqual({ routingNumber: '021000021', accountNumber: '123456789' });
      expect(() => harness.platform.vault.open(sealed, nowhere)).toThrow();
    });

    it('the first one of an account is its default, until another is made so', async () => {
      const account = await newAccount(harness.test);
      const [first, second] = [await newBankAccount(harness.test, account.id), await newBankAccount(harness.test, account.id, 'wire')];
      expect([first.is_default, second.is_default]).toEqual([true, false]);
      expect((await newBankAccount(harness.test, account.id, 'pix', { is_default: true })).is_default).toBe(true);
      expect((await harness.test.get(`${path}/${first.id}`)).body.data.is_default).toBe(false);
    });

    it('of twenty at once one is the default', async () => {
      const account = await newAccount(harness.test);
      await Promise.all(Array.from({ length: 20 }, () => newBankAccount(harness.test, account.id, 'ach', { is_default: true })));
      const { data } = (await harness.test.get(`${path}?account_id=${account.id}`)).body;
      expect(data.filter(({ is_default: isDefault }: { is_default: boolean }) => isDefault)).toHaveLength(1);
    });
  });

  describe('400', () => {
    it.each([
      ['ach', { routing_number: '021000022', account_number: '123456789' }, 'details.routing_number'],
      ['ach', { routing_number: '021000021', account_number: '12' }, 'details.account_number'],
      ['wire', { bic: 'DEUT', account_number: 'DE89370400440532013000' }, 'details.bic'],
      ['wire', { bic: 'DEUTDEFF', account_number: 'DE88370400440532013000' }, 'details.account_number'],
      ['sepa', { iban: 'DE89370400440532013001' }, 'details.iban'],
      ['sepa', { iban: 'US89370400440532013000' }, 'details.iban'],
      ['pix', { key: '52998224726' }, 'details.key'],
      ['spei', { clabe: '032180000118359718' }, 'details.clabe'],
    ])('for wrong check digits or forms of %s: %o', async (rail, details, member) => {
      const account = await newAccount(harness.test);
      expectInvalid(await harness.test.post(path, bodyOf(account.id, rail, details)), member);
    });

    it('for details of another rail, with those that are missing', async () => {
      const account = await newAccount(harness.test);
      const answer = await harness.test.post(path, bodyOf(account.id, 'ach', { iban: 'DE89370400440532013000' }));
      expectInvalid(answer, 'details.routing_number', 'details.account_number', 'details.iban');
    });
  });

  describe('404', () => {
    it('for an account of nobody, and of another tenant', async () => {
      const foreign = await newAccount(harness.other);
      for (const id of [nowhere, foreign.id]) expectRefused(await harness.test.post(path, bodyOf(id, 'ach')), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('for an account that is closed', async () => {
      const account = await newAccount(harness.test);
      await harness.test.patch(`/v1/accounts/${account.id}`, { status: 'closed' });
      expectRefused(await harness.test.post(path, bodyOf(account.id, 'ach')), 409, 'state_conflict', { current_status: 'closed' });
    });
  });

  describe('422', () => {
    it.each(['usdc-base', 'swift'])('for %s, which ends at no bank account', async (rail) => {
      const account = await newAccount(harness.test);
      expectRefused(await harness.test.post(path, bodyOf(account.id, rail, {})), 422, 'unsupported_rail');
    });
  });
});
