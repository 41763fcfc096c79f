// The walls of the ledger in PostgreSQL itself, and what a posting leaves written.
import { beforeAll, describe, expect, it } from 'vitest';
import { type WalletAccounts, walletAccounts } from '../../src/ledger/account.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import { checkPosting, move } from '../../src/ledger/posting.js';
import { checkLedger } from '../../src/ledger/trial-balance.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { formatMinor } from '../../src/platform/money.js';
import { newId } from '../../src/platform/schema/id.js';
import { eventsOf, pay, twoWallets } from '../factories/payment.js';
import { openWallet, useHarness } from '../harness.js';
import { mixedOf, type Plan, type Wallet } from './mixed-plan.js';
import { balanceOf, ctxOf, moved, postMove, query, stateOf, walletRef } from './wallet-ref.js';

const harness = useHarness();
let ctx: Ctx;
beforeAll(async () => {
  ctx = await ctxOf(harness, harness.test);
});

describe('the database refuses', () => {
  it('entries that do not sum to zero', async () => {
    const { available } = await walletRef(ctx);
    const insert = `WITH t AS (INSERT INTO ledger_transaction (workspace_id, id, created_at) VALUES ($1, $2, now()))
      INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
      VALUES ($1, $3, 1, $2, 'USD', 1, 1, now())`;
    expect(await stateOf(query(ctx, insert, [ctx.workspace.id, newId(ctx.clock.now()), available]))).toBe('AP011');
  });

  it('dollars that arrive as euros', async () => {
    const { wallet } = await openWallet(harness.test, { currency: 'EUR' });
    const euros = (await walletAccounts(ctx, [wallet.id])).get(wallet.id) as WalletAccounts;
    const { available } = await walletRef(ctx, 100n);
    expect(await stateOf(postMove(ctx, available, euros.available, 1n))).toBe('AP011');
    expect(await balanceOf(ctx, available)).toBe(100n);
  });

  it('to change or forget what was posted', async () => {
    await walletRef(ctx, 1n);
    for (const table of ['ledger_entry', 'ledger_transaction']) {
      for (const sql of [`UPDATE ${table} SET created_at = now()`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
        expect(await stateOf(query(ctx, sql)), sql).toBe('AP010');
      }
    }
  });

  it('another amount or party of a transfer, another end of a finished one, and to forget it', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { id } = await pay(harness.test, from, to, '1.00');
    for (const change of [
      'amount = 2',
      "currency = 'EUR'",
      `to_wallet_id = '${from.id}'`,
      'from_account_id = NULL',
      "status = 'pending'",
      'is_spend = NOT is_spend',
      "subject_type = 'task'",
    ]) {
      expect(await stateOf(query(ctx, `UPDATE transfer SET ${change} WHERE id = $1`, [id])), change).toBe('AP010');
    }
    expect(await stateOf(query(ctx, 'UPDATE transfer SET refunded_amount = 101 WHERE id = $1', [id]))).toBe('23514');
    expect(await stateOf(query(ctx, 'DELETE FROM transfer WHERE id = $1', [id]))).toBe('AP010');
  });

  it('a balance below zero, a counter below zero, and more captured than held', async () => {
    const { available } = await walletRef(ctx);
    expect(await stateOf(query(ctx, 'UPDATE ledger_account SET balance = -1 WHERE id = $1', [available]))).toBe('23514');
    const counter = "INSERT INTO limit_counter (workspace_id, counter, \"window\", used) VALUES ($1, 'c', 'w', -1)";
    expect(await stateOf(query(ctx, counter, [ctx.workspace.id]))).toBe('23514');
    const { from, to } = await twoWallets(harness.test);
    await pay(harness.test, from, to, '1.00', { capture: 'manual' });
    expect(await stateOf(query(ctx, 'UPDATE hold SET captured_amount = amount + 1'))).toBe('23514');
  });

  it('a second posting with the id of the first', async () => {
    const [from, to] = [await walletRef(ctx, 10n), await walletRef(ctx)];
    const first = moved(ctx, from.available, to.available, 1n);
    await postGrouped(harness.platform.database, first);
    expect(await stateOf(postGrouped(harness.platform.database, first))).toBe('23505');
    expect(await balanceOf(ctx, to.available)).toBe(1n);
  });

  it('a second posting of a transfer with the id of the first, which left no row of its own', async () => {
    const wallets: Wallet[] = [
      [ctx, await walletRef(ctx, 10n)],
      [ctx, await walletRef(ctx)],
    ];
    const { posting: first } = mixedOf(plan, wallets);
    await postGrouped(harness.platform.database, first);
    expect(await query(ctx, 'SELECT FROM ledger_transaction WHERE id = $1', [first.id])).toEqual([]);
    for (const second of [first, { ...first, limits: [{ counter: 'c', window: 'w', used: 1n, reserved: 0n, maximum: null }] }]) {
      expect(await stateOf(postGrouped(harness.platform.database, second))).toBe('23505');
    }
    expect(() => checkPosting({ ...first, records: {} })).toThrow('only the posting that records a transfer has its id');
    expect(await balanceOf(ctx, wallets[1]?.[1].available ?? '')).toBe(1n);
  });
});

describe('the ledger check finds', () => {
  /** What it finds while `written` is there, which no trigger of the database was asked about. */
  async function foundWith(written: string, values: unknown[], forget: string): Promise<string[]> {
    const client = await harness.platform.database.pool.connect();
    try {
      await client.query('SET session_replication_role = replica');
      await client.query(written, values);
      const found = await checkLedger(harness.platform.database, []);
      await client.query(forget, [values[0]]);
      return found;
    } finally {
      await client.query('RESET session_replication_role');
      client.release();
    }
  }

  it('entries that belong to no transaction', async () => {
    const { available, held } = await walletRef(ctx, 10n);
    const id = newId(ctx.clock.now());
    const insert = `INSERT INTO ledger_entry (workspace_id, account_id, version, transaction_id, currency, amount, balance_after, created_at)
      SELECT $2, a.id, a.version + 1, $1, 'USD', a.amount, 0, now() FROM (VALUES ($3::uuid, 1, -1), ($4::uuid, 0, 1)) AS a (id, version, amount)`;
    const found = await foundWith(insert, [id, ctx.workspace.id, available, held], 'DELETE FROM ledger_entry WHERE transaction_id = $1');
    expect(found).toContain(`entries belong to no transaction: ${id}`);
    expect(await checkLedger(harness.platform.database, [])).toEqual([]);
  });

  it('a row with the id of a transfer that it does not belong to', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { id } = await pay(harness.test, from, to, '1.00');
    const insert = 'INSERT INTO ledger_transaction (workspace_id, id, created_at) VALUES ($2, $1, now())';
    const found = await foundWith(insert, [id, ctx.workspace.id], 'DELETE FROM ledger_transaction WHERE id = $1');
    expect(found).toEqual([`a transaction has the id of a transfer that it does not belong to: ${id}`]);
  });
});

/** A transfer of one unit between two wallets. */
const plan: Plan = {
  from: 0,
  to: 1,
  minor: 1n,
  kind: 'transfer',
  description: null,
  referenced: false,
  metadata: {},
  counters: [],
  events: [],
  keyed: false,
  ms: 0,
};

describe('what is written', () => {
  it('account.balance.low once per crossing, however many cross together', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '20.00' });
    await harness.test.patch(`/v1/wallets/${from.id}`, { low_balance_threshold: '10.00' });
    const told = async () => (await eventsOf(harness, from.id)).map(({ data }) => data);
    await pay(harness.test, from, to, '10.00');
    expect(await told()).toEqual([]);
    await Promise.all(Array.from({ length: 10 }, () => pay(harness.test, from, to, '0.50')));
    expect(await told()).toEqual([
      {
        account_id: `acc_${from.account_id}`,
        wallet_id: `wal_${from.id}`,
        balance: expect.stringMatching(/^[5-9]\.\d0$/),
        threshold: '10.00',
        currency: 'USD',
      },
    ]);
    await pay(harness.test, to, from, '15.00');
    harness.clock.advance(1);
    await pay(harness.test, from, to, '10.01');
    expect((await told()).map(({ balance }) => balance).at(-1)).toBe('9.99');
    expect(await told()).toHaveLength(2);
  });

  it('account.balance.low of the wallet that crosses, not of one that is low already', async () => {
    const [low, crossing] = [await openWallet(harness.test, { funded: '10.00' }), await openWallet(harness.test, { funded: '20.00' })];
    const { wallet: payee } = await openWallet(harness.test);
    const wallets = [low.wallet, crossing.wallet, payee];
    for (const { id } of wallets.slice(0, 2)) await harness.test.patch(`/v1/wallets/${id}`, { low_balance_threshold: '15.00' });
    const ids = wallets.map(({ id }) => id);
    const accounts = await walletAccounts(ctx, ids);
    const [a, b, to] = ids.map((id) => accounts.get(id)?.available ?? '') as [string, string, string];
    await postMove(ctx, a, to, 1n, { legs: [...move('USD', 100n, a, to), ...move('USD', 600n, b, to)] });
    expect(await eventsOf(harness, low.wallet.id)).toEqual([]);
    expect(await eventsOf(harness, crossing.wallet.id)).toMatchObject([{ type: 'account.balance.low', data: { balance: '14.00' } }]);
  });

  it('entries whose times never go back, whatever the clock says', async () => {
    const [from, to] = [await walletRef(ctx, 10n), await walletRef(ctx)];
    const times = ['2026-03-02T12:00:00Z', '2026-03-02T11:00:00Z', '2026-03-02T13:00:00Z'].map((text) => new Date(text));
    for (const at of times) await postMove(ctx, from.available, to.available, 1n, { at });
    const rows = await query(ctx, 'SELECT created_at, balance_after FROM ledger_entry WHERE account_id = $1 ORDER BY version', [
      to.available,
    ]);
    expect(rows.map((row) => row.created_at.toISOString().slice(11, 13))).toEqual(['12', '12', '13']);
    expect(rows.map((row) => row.balance_after)).toEqual(['1', '2', '3']);
  });

  it('money as the wire prints it, also by the database', async () => {
    for (const [minor, currency] of [
      [0n, 'USD'],
      [5n, 'USD'],
      [-5n, 'EUR'],
      [123_456n, 'USD'],
      [7n, 'JPY'],
      [1n, 'USDC'],
      [3_500n, 'USDC'],
      [1_500_000n, 'USDT'],
      [8n * 10n ** 18n, 'EURC'],
    ] as const) {
      const [row] = await query(ctx, 'SELECT money_text($1, $2) AS text', [minor, currency]);
      expect(row.text).toBe(formatMinor(minor, currency));
    }
  });
});
