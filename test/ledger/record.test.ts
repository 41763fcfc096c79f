// Rows by name: what the database calls its tables, columns and attributes is what the code sends, and a column that is new needs no
// change in the ledger.
import { beforeAll, describe, expect, it } from 'vitest';
import { move, posting } from '../../src/ledger/posting.js';
import { encodeSet, setAttributes } from '../../src/ledger/posting-set.js';
import { recordTables } from '../../src/ledger/record.js';
import { postSet, valuesOf } from '../../src/ledger/statement.js';
import type { Ctx } from '../../src/platform/ctx.js';
import { rowOf } from '../../src/platform/postgres/column.js';
import { nowhere, useHarness } from '../harness.js';
import { ctxOf, moved, query, stateOf, walletRef } from './wallet-ref.js';

const harness = useHarness();
let ctx: Ctx;
beforeAll(async () => {
  ctx = await ctxOf(harness, harness.test);
});

describe('ledger_post', () => {
  it('has an attribute for each list of a set, and no other', async () => {
    const rows = await query(
      ctx,
      "SELECT a.attname FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid WHERE t.typname = 'ledger_set' AND a.attnum > 0",
    );
    expect(rows.map(({ attname }) => attname).sort()).toEqual([...setAttributes].sort());
  });

  it('has a parameter for each table that rows are recorded in, and no other', async () => {
    const [row] = await query(ctx, "SELECT proargnames AS names FROM pg_proc WHERE proname = 'ledger_post'");
    const parameters = row.names.filter((name: string) => name.endsWith('_rows'));
    expect(parameters).toEqual(recordTables.map((table) => `${table}_rows`));
  });

  it('begins rows with the defaults of their table that are constants', async () => {
    const constants = `SELECT a.attname FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
      WHERE d.adrelid = $1::regclass AND pg_get_expr(d.adbin, d.adrelid) !~ '\\('`;
    for (const table of recordTables) {
      const [base] = await query(ctx, `SELECT to_jsonb(record_base(NULL::${table})) AS row`);
      const set = Object.entries(base.row).flatMap(([column, value]) => (value === null ? [] : [column]));
      const columns = await query(ctx, constants, [table]);
      expect(set.sort(), table).toEqual(columns.map(({ attname }) => attname).sort());
    }
  });

  it('leaves no column out that may be null and has a default: a null is sent by leaving it out', async () => {
    const rows = await query(
      ctx,
      'SELECT table_name, column_name FROM information_schema.columns WHERE table_name = ANY ($1) AND is_nullable = $2 AND column_default IS NOT NULL',
      [recordTables, 'YES'],
    );
    expect(rows).toEqual([]);
  });

  it('refuses a row without a column that must be there', async () => {
    const [from, to] = [await walletRef(ctx, 10n), await walletRef(ctx)];
    const records = { hold: [rowOf({ workspaceId: ctx.workspace.id, id: nowhere })] };
    const value = moved(ctx, from.available, to.available, 1n, { records });
    expect(await stateOf(query(ctx, postSet.text, valuesOf(encodeSet([value]))))).toBe('23502');
  });
});

describe('a new column of a table', () => {
  it('is written by the posting that names it, and has its default in every other', async () => {
    const [from, to] = [await walletRef(ctx, 10n), await walletRef(ctx)];
    const hold = (extra: object) => {
      const value = posting(ctx, { legs: move('USD', 1n, from.available, to.available), transferId: null });
      const { id, workspaceId, at: createdAt } = value;
      const accounts = { fromAccountId: from.available, heldAccountId: nowhere, toAccountId: to.available };
      const row = { workspaceId, id, transferId: id, ...accounts, currency: 'USD', amount: 1n, status: 'released', createdAt, ...extra };
      return { ...value, records: { hold: [rowOf(row)] } };
    };
    const { pool } = ctx.platform.database;
    // One connection, so that its plan of before is the one that is used after.
    const client = await pool.connect();
    const post = async (extra: object) => {
      const value = hold(extra);
      await client.query({ ...postSet, values: valuesOf(encodeSet([value])) });
      return value.id;
    };
    try {
      const before = await post({});
      await client.query(
        "ALTER TABLE hold ADD COLUMN purpose text, ADD COLUMN tags jsonb NOT NULL DEFAULT '[]', ADD COLUMN turn int NOT NULL DEFAULT 7",
      );
      const named = await post({ purpose: 'checkout', tags: ['a'], turn: 8 });
      const unnamed = await post({});
      const rowsById = async (id: string) => (await client.query('SELECT purpose, tags, turn FROM hold WHERE id = $1', [id])).rows[0];
      expect(await rowsById(before)).toEqual({ purpose: null, tags: [], turn: 7 });
      expect(await rowsById(named)).toEqual({ purpose: 'checkout', tags: ['a'], turn: 8 });
      expect(await rowsById(unnamed)).toEqual({ purpose: null, tags: [], turn: 7 });
    } finally {
      client.release();
    }
  });
});
