// POST /v1/settlement-rules
import { describe, expect, it } from 'vitest';
import { newBankAccount, newPayer } from '../../factories/payout.js';
import { executionsOf, ruleBody } from '../../factories/settlement-rule.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/settlement-rules';
const create = (body: object) => harness.test.post(path, body);
const trigger = (trigger_type: string, trigger_config?: object) => ({ trigger_type, ...(trigger_config && { trigger_config }) });
const action = (action_type: string, action_config?: object) => ({ action_type, ...(action_config && { action_config }) });
const threshold = { threshold_cents: 100, currency: 'USD', direction: 'above' };

describe('POST /v1/settlement-rules', () => {
  describe('201', () => {
    it('with every member of its resource', async () => {
      const { wallet } = await openWallet(harness.test);
      const at = harness.clock.now().toISOString();
      expect(await create(ruleBody(wallet, { name: ' Nightly ' }))).toMatchObject({
        status: 201,
        body: {
          data: {
            id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            name: 'Nightly',
            wallet_id: wallet.id,
            trigger_type: 'manual',
            trigger_config: {},
            action_type: 'notify',
            action_config: {},
            enabled: true,
            priority: 100,
            created_at: at,
            updated_at: at,
          },
        },
      });
    });

    it('with the config of every trigger, as it was given', async () => {
      const { wallet } = await openWallet(harness.test);
      for (const [type, config] of [
        ['balance_threshold', threshold],
        ['time_based', { schedule: '*/15 9-17 * * 1-5', timezone: 'Europe/Berlin' }],
        ['event_based', { event_type: 'settlement.returned', filter: { 'destination.type': 'bank', errorCode: null, status: 'returned' } }],
        ['event_based', { event_type: 'batch.completed' }],
        ['transaction_count', { count: 5, within_window: 3_600 }],
        ['transaction_count', { count: 1_000_000 }],
      ] as const) {
        const { status, body } = await create(ruleBody(wallet, { ...trigger(type, config), priority: 0, enabled: false }));
        expect([status, body.data?.trigger_config, body.data?.priority, body.data?.enabled], JSON.stringify(body)).toEqual([
          201,
          config,
          0,
          false,
        ]);
      }
    });

    it('with fire_now: fires at once where the balance is beyond the threshold, and else waits for the crossing', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '5.00' });
      const fired = async (extra: object, config: object = {}) => {
        const made = await create(ruleBody(wallet, { ...trigger('balance_threshold', { ...threshold, ...config }), ...extra }));
        expect(made.status).toBe(201);
        await harness.runDue();
        return (await executionsOf(harness.test, made.body.data)).map(({ trigger: by, status }) => [by, status]);
      };
      expect(await fired({})).toEqual([]);
      expect(await fired({ fire_now: true })).toEqual([['balance_threshold', 'completed']]);
      expect(await fired({ fire_now: true }, { direction: 'below' })).toEqual([]);
      expect(await fired({ fire_now: true }, { direction: 'below', threshold_cents: 501 })).toEqual([['balance_threshold', 'completed']]);
      expectInvalid(await create(ruleBody(wallet, { fire_now: true })), 'fire_now');
    });

    it('with the config of every action, ids as they are printed', async () => {
      const { wallet, bank } = await newPayer(harness.test);
      const other = await openWallet(harness.test);
      for (const [type, config] of [
        ['settle_to_bank', { destination: { type: 'bank', ref: bank?.id }, retain_reserve_cents: 0, rail: 'ach' }],
        ['settle_to_bank', { destination: { type: 'bank' } }],
        ['settle_to_account', { destination_account_id: other.account.id, amount: 'all', retain_reserve_cents: 5 }],
        ['settle_to_wallet', { destination_wallet_id: other.wallet.id, amount: 'fixed', amount_cents: 5 }],
        ['hold', { amount_cents: 5, release_after_seconds: 60 }],
        ['notify', { message: 'Hello' }],
      ] as const) {
        const { status, body } = await create(ruleBody(wallet, action(type, config)));
        expect([status, body.data?.action_config], JSON.stringify(body)).toEqual([201, config]);
      }
    });
  });

  describe('400', () => {
    it.each([
      ['no cron', trigger('time_based', { schedule: '61 * * * *', timezone: 'UTC' }), ['trigger_config.schedule']],
      ['six fields', trigger('time_based', { schedule: '0 0 9 * * 1', timezone: 'UTC' }), ['trigger_config.schedule']],
      ['too often', trigger('time_based', { schedule: '*/10 * * * *', timezone: 'UTC' }), ['trigger_config.schedule']],
      ['never', trigger('time_based', { schedule: '0 0 30 2 *', timezone: 'UTC' }), ['trigger_config.schedule']],
      ['no time zone', trigger('time_based', { schedule: '0 9 * * *', timezone: 'Mars/Base' }), ['trigger_config.timezone']],
      ['nothing of it', trigger('time_based'), ['trigger_config.schedule', 'trigger_config.timezone']],
      ['a member of another type', trigger('manual', { count: 1 }), ['trigger_config.count']],
      ['a member of none', trigger('manual', { when: 1 }), ['trigger_config.when']],
      ['an unknown type of event', trigger('event_based', { event_type: 'wallet.burned' }), ['trigger_config.event_type']],
      ['an event of its own', trigger('event_based', { event_type: '_breaker.tripped' }), ['trigger_config.event_type']],
      [
        'what data has not',
        trigger('event_based', { event_type: 'batch.failed', filter: { wallet: 1 } }),
        ['trigger_config.filter.wallet'],
      ],
      [
        'a filter by a list',
        trigger('event_based', { event_type: 'batch.failed', filter: { status: [] } }),
        ['trigger_config.filter.status'],
      ],
      ['no count', trigger('transaction_count', { count: 0 }), ['trigger_config.count']],
      ['too many in a window', trigger('transaction_count', { count: 1_001, within_window: 1 }), ['trigger_config.count']],
      ['below zero', trigger('balance_threshold', { ...threshold, threshold_cents: -1 }), ['trigger_config.threshold_cents']],
      ['a destination without a type', action('settle_to_bank', { destination: {} }), ['action_config.destination.type']],
      [
        'fixed without an amount',
        action('settle_to_wallet', { destination_wallet_id: nowhere, amount: 'fixed' }),
        ['action_config.amount_cents'],
      ],
      [
        'an amount of all',
        action('settle_to_account', { destination_account_id: nowhere, amount_cents: 1 }),
        ['action_config.amount_cents'],
      ],
      ['no destination', action('settle_to_wallet', {}), ['action_config.destination_wallet_id']],
      ['a hold of nothing', action('hold', { amount_cents: 0 }), ['action_config.amount_cents']],
      ['a member of another action', action('notify', { rail: 'ach' }), ['action_config.rail']],
      ['no name', { name: ' ' }, ['name']],
      ['an unknown trigger', { trigger_type: 'lunar' }, ['trigger_type']],
      ['a priority below zero', { priority: -1 }, ['priority']],
    ])('for %s', async (_, extra, paths) => {
      const { wallet } = await openWallet(harness.test);
      expectInvalid(await create(ruleBody(wallet, extra)), ...paths);
    });

    it('for cents that are no number of the database in the currency of the wallet', async () => {
      const { wallet } = await openWallet(harness.test, { currency: 'USDC' });
      const most = 10 ** 13;
      const above = (cents: number) => trigger('balance_threshold', { threshold_cents: cents, currency: 'USDC', direction: 'above' });
      expectInvalid(await create(ruleBody(wallet, above(most + 1))), 'trigger_config.threshold_cents');
      expectInvalid(await create(ruleBody(wallet, action('hold', { amount_cents: most + 1 }))), 'action_config.amount_cents');
      const { status, body } = await create(ruleBody(wallet, above(most)));
      expect(status).toBe(201);
      const path = `/v1/settlement-rules/${body.data.id}`;
      expectInvalid(await harness.test.patch(path, { trigger_config: above(10 ** 15).trigger_config }), 'trigger_config.threshold_cents');
      await harness.test.delete(path);
    });

    it('for cents of a currency that has none', async () => {
      const { wallet } = await openWallet(harness.test, { currency: 'JPY' });
      expectInvalid(await create(ruleBody(wallet, action('hold', { amount_cents: 150 }))), 'action_config.amount_cents');
      expect((await create(ruleBody(wallet, action('hold', { amount_cents: 200 })))).status).toBe(201);
    });
  });

  it('404 for a wallet, a bank account, an account or a wallet to settle to that is not there', async () => {
    const { wallet } = await openWallet(harness.test);
    const foreign = await newPayer(harness.other);
    for (const [body, field] of [
      [ruleBody(foreign.wallet), 'wallet_id'],
      [
        ruleBody(wallet, action('settle_to_bank', { destination: { type: 'bank', ref: foreign.bank?.id } })),
        'action_config.destination.ref',
      ],
      [
        ruleBody(wallet, action('settle_to_account', { destination_account_id: foreign.account.id })),
        'action_config.destination_account_id',
      ],
      [ruleBody(wallet, action('settle_to_wallet', { destination_wallet_id: foreign.wallet.id })), 'action_config.destination_wallet_id'],
    ] as const) {
      expectRefused(await create(body), 404, 'not_found', { fields: [{ path: field }] });
    }
  });

  it('409 for a closed wallet, and for the hundred and first rule', async () => {
    const { wallet } = await openWallet(harness.other);
    const closed = await openWallet(harness.other);
    await harness.other.post(`/v1/wallets/${closed.wallet.id}/close`, {});
    expectRefused(await harness.other.post(path, ruleBody(closed.wallet)), 409, 'state_conflict');
    await harness.other.make(path, ruleBody(wallet));
    const { unscoped, pool } = harness.elsewhere.database;
    const { workspaceId } = await unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
    await pool.query(
      `INSERT INTO settlement_rule (workspace_id, id, name, wallet_id, trigger_type, trigger_config, action_type, action_config, enabled, priority,
         armed_id, seen_version, created_at, updated_at)
       SELECT workspace_id, gen_random_uuid(), name, wallet_id, trigger_type, trigger_config, action_type, action_config, enabled, priority,
         armed_id, seen_version, created_at, updated_at FROM settlement_rule, generate_series(1, 99) WHERE workspace_id = $1`,
      [workspaceId],
    );
    const refused = await harness.other.post(path, ruleBody(wallet));
    expectRefused(refused, 409, 'state_conflict', { limit: { name: 'settlement_rules', maximum: 100, used: 100 } });
  });

  it('422 for money that cannot go there', async () => {
    const { wallet, account } = await newPayer(harness.test);
    const euros = await openWallet(harness.test, { currency: 'EUR' });
    const sepa = await newBankAccount(harness.test, account.id, 'sepa');
    const bank = (ref: string, rail?: string) => action('settle_to_bank', { destination: { type: 'bank', ref }, ...(rail && { rail }) });
    for (const [extra, code] of [
      [trigger('balance_threshold', { ...threshold, currency: 'EUR' }), 'currency_mismatch'],
      [action('settle_to_wallet', { destination_wallet_id: euros.wallet.id }), 'currency_mismatch'],
      [action('settle_to_wallet', { destination_wallet_id: wallet.id }), 'same_wallet'],
      [bank(sepa.id), 'unsupported_rail'],
      [bank(sepa.id, 'ach'), 'unsupported_rail'],
      [action('settle_to_bank', { rail: 'pix' }), 'unsupported_rail'],
    ] as const) {
      expectRefused(await create(ruleBody(wallet, extra)), 422, code);
    }
  });
});
