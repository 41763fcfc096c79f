// Prepared statements are bounded (src/platform/postgres/statement-name.ts): what is frequent has a name, and nothing else.
import { describe, expect, inject, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.js';
import { openDatabase } from '../../../src/platform/postgres/database.js';
import { connectionSeconds, StatementNames } from '../../../src/platform/postgres/statement-name.js';
import { withDatabase } from '../../database.js';
import { nowhere } from '../../harness.js';

describe('the name of a statement', () => {
  it('is given from the fifth use on, and always the same', () => {
    const names = new StatementNames();
    const given = Array.from({ length: 7 }, () => names.nameOf('SELECT 1'));
    expect(given.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    expect(given[4]).toMatch(/^[\w-]{27}$/);
    expect(new Set(given.slice(4)).size).toBe(1);
    const others = new StatementNames();
    for (let use = 1; use < 5; use += 1) others.nameOf('SELECT 1');
    expect(others.nameOf('SELECT 1')).toBe(given[4]);
  });

  it('is given to no more texts than a connection may keep, and to others when connections are new', () => {
    let now = 0;
    const names = new StatementNames(() => now);
    const use = (text: string) => Array.from({ length: 5 }, () => names.nameOf(text)).at(-1);
    const given = Array.from({ length: 600 }, (_, number) => use(`SELECT ${number}`)).filter((name) => name !== undefined);
    expect(given).toHaveLength(500);
    expect(names.nameOf('SELECT 1')).toBe(given[1]);
    expect(use('SELECT now()')).toBeUndefined();
    now = connectionSeconds * 1_000;
    expect(use('SELECT now()')).toBeDefined();
  });

  it('is no reason to keep texts that are seen once', () => {
    const names = new StatementNames();
    for (let number = 0; number < 5_000; number += 1) expect(names.nameOf(`SELECT ${number}`)).toBeUndefined();
    expect(names.nameOf('SELECT 0')).toBeUndefined();
  });
});

describe('a connection', () => {
  it('keeps no statement for each length of a list', async () => {
    const url = withDatabase(inject('databaseUrl'), inject('template'));
    const database = openDatabase(url, { poolSize: 1, log: createLogger('silent') });
    try {
      for (let length = 2; length < 100; length += 1) {
        await database.unscoped.wallet.findMany({ where: { id: { in: Array.from({ length }, () => nowhere) } } });
      }
      for (let use = 0; use < 10; use += 1) await database.unscoped.wallet.findFirst({ where: { id: nowhere } });
      const { rows } = await database.pool.query('SELECT statement FROM pg_prepared_statements');
      expect(rows).toHaveLength(1);
    } finally {
      await database.close();
    }
  });
});
