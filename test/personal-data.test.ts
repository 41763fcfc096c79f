// What is personal stands in the Prisma schema, column by column: nothing is stored that does not say what it is, and whatever is to be erased
// leads to an account or a member.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { manifest } from '../src/contexts.js';
import { eventCatalog } from '../src/events/catalog.js';
import { text, withoutText } from '../src/events/personal.js';
import { personalTables } from '../src/generated/personal-data.js';

interface Printer {
  printPersonalData(folder: string): string;
}
const printer: Printer = await import(new URL('../scripts/personal-data.mjs', import.meta.url).href);
const schema = path.join(import.meta.dirname, '..', 'prisma', 'schema');
const copy = mkdtempSync(path.join(tmpdir(), 'personal-data-'));
afterAll(() => rmSync(copy, { recursive: true }));

/** What printing says when a file of the schema was changed. */
function printedWith(file: string, change: (text: string) => string): string {
  cpSync(schema, copy, { recursive: true });
  const place = path.join(copy, file);
  const text = readFileSync(place, 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(place, changed);
  return printer.printPersonalData(copy);
}

const without = (line: RegExp) => (text: string) => text.replace(line, (whole) => whole.replace(/ \/\/\/ @.*/, ''));

/** What only a walk of its own finds: the lines of the audit log, and the answers that are kept for a day. */
const foundOtherwise = ['audit_entry', 'keyed_answer'];

describe('every column of text or JSON', () => {
  it('says what it holds', () => {
    expect(printer.printPersonalData(schema)).toContain('personalTables');
  });

  it.each([
    ['a text', 'accounts.prisma', /^ {2}name .*$/m, 'Account.name'],
    ['JSON', 'transfers.prisma', /^ {2}sharedMetadata .*$/m, 'Transfer.sharedMetadata'],
    ['a list', 'skills.prisma', /^ {2}tags .*$/m, 'Skill.tags'],
    ['what is sealed', 'settlement.prisma', /^ {2}sealedDetails .*$/m, 'BankAccount.sealedDetails'],
    ['a code', 'ledger.prisma', /^ {2}fingerprint .*$/m, 'Claim.fingerprint'],
  ])('is refused without: %s', (_, file, line, name) => {
    expect(() => printedWith(file, without(line))).toThrow(`${name} does not say what it holds`);
  });

  it('is refused where its rows belong to what is no table', () => {
    expect(() => printedWith('refunds.prisma', (text) => text.replace('@owner transfer', '@owner transfers'))).toThrow(
      'belongs to transfers, which is no table',
    );
  });
});

describe('what is erased', () => {
  const places = new Map(personalTables.map(({ table }, n) => [table, n]));

  it('leads to an account or a member, and comes after what it belongs to', () => {
    for (const [n, { table, owners, erased }] of personalTables.entries()) {
      const targets = owners.flatMap(({ of }) => of).filter((name) => name !== '*' && name !== '~');
      for (const target of targets) expect(places.get(target.split('.')[0] ?? ''), `${table} after ${target}`).toBeLessThan(n);
      const isRoot = ['account', 'member', ...foundOtherwise].includes(table);
      if (!isRoot && erased.length > 0) expect(owners, table).not.toEqual([]);
    }
  });

  it('is nothing of the ledger', () => {
    const names = [...places.keys()];
    expect(names.filter((name) => name.startsWith('ledger_') || ['hold', 'claim', 'limit_counter'].includes(name))).toEqual([]);
  });

  it('is a name, an e-mail, an address, bank and card details, and what people have written', () => {
    const columns = personalTables.flatMap(({ table, erased }) => erased.map(({ column }) => `${table}.${column}`));
    expect(columns).toEqual(
      expect.arrayContaining([
        'account.name',
        'account.email',
        'agent.description',
        'checkout.shipping_address',
        'bank_account.sealed_details',
        'vaulted_card.card_last_four',
        'transfer.metadata',
        'event.data',
        'audit_entry.changes',
        'member.email_key',
        'rail_statement.description',
      ]),
    );
  });
});

describe('the data of an event', () => {
  const names = new Set(personalTables.flatMap(({ erased }) => erased.map(({ column }) => column)));

  /** Members that are called as a column that is erased, and would stay. */
  function staying(schema: z.ZodType, name = ''): string[] {
    if (schema instanceof z.ZodObject) return Object.entries(schema.shape).flatMap(([member, one]) => staying(one as z.ZodType, member));
    if (schema instanceof z.ZodArray) return staying(schema.element as z.ZodType, name);
    if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return staying(schema.unwrap() as z.ZodType, name);
    const stays = schema instanceof z.ZodString && schema.format === null && withoutText(schema, 'Ada') === 'Ada';
    return stays && names.has(name) ? [name] : [];
  }

  it('loses what is called as a column that is erased', () => {
    const catalog = manifest.extensions().of(eventCatalog);
    const found = catalog.entries().flatMap(({ type, data }) => staying(data).map((name) => `${type} ${name}`));
    // The addresses of the tenant's own endpoints.
    expect(found).toEqual(['webhook.dlq url', 'webhook.disabled url']);
  });

  it('keeps its form, its ids, its amounts and its times', () => {
    const schema = z.strictObject({
      id: z.string(),
      by: z.union([z.enum(['a']), text]),
      of: z.array(z.object({ name: text.nullable() })).optional(),
    });
    expect(withoutText(schema, { id: 'x', by: 'a', of: [{ name: 'Ada' }, { name: null }] })).toEqual({
      id: 'x',
      by: 'a',
      of: [{ name: 'erased' }, { name: null }],
    });
    expect(withoutText(schema, { id: 'x', by: 'Ada' })).toEqual({ id: 'x', by: 'erased' });
  });
});
