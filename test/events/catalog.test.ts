// The catalog against the specification, whose list of types is copied here, and against the code that emits them.
import { describe, expect, it } from 'vitest';
import { EventCatalog } from '../../src/events/catalog.js';
import { isInternal } from '../../src/events/definition.js';
import { namesEvent } from '../../src/events/pattern.js';
import { idKinds } from '../../src/platform/schema/id.js';
import { snakeCase } from '../../src/platform/snake-case.js';
import { catalog } from '../catalog.js';
import { bareId, leavesOf } from '../event-data.js';
import { readFiles } from '../source.js';

/** SPEC.md "Event types and data". */
const specified = [
  'transfer.created', 'transfer.completed', 'transfer.failed', 'transfer.refunded',
  'settlement.initiated', 'settlement.processing', 'settlement.completed', 'settlement.failed', 'settlement.returned',
  'batch.created', 'batch.processing', 'batch.completed', 'batch.failed',
  'reconciliation.completed', 'reconciliation.discrepancy',
  'x402.payment.completed', 'x402.endpoint.created',
  'ap2.mandate.created', 'ap2.mandate.executed', 'ap2.mandate.revoked',
  'acp.checkout.created', 'acp.checkout.completed', 'acp.checkout.expired',
  'account.created', 'account.updated', 'account.balance.low',
  'webhook.test', 'webhook.dlq',
]; // biome-ignore format: one line per family

/** SPEC.md "Event types announced but not emitted". */
const announcedFamilies = [
  'stream.', 'dispute.', 'refund.', 'agent.', 'quote.', 'mpp.', 'a2a.task.', 'funding.transaction.', 'treasury.alert.',
  'card.dispute.',
]; // biome-ignore format: one list

/** Those that are emitted beside: of the announced ones by now, and of people, connections and rails (CONTRACT.md 22, 23, 27). */
const emittedFamilies = ['approval.', 'member.', 'connection.', 'evidence.', 'rail.', 'x402.payment.reversed'];

/** SPEC.md "Data of ... events", where it says the members. */
const members: Record<string, string[]> = {
  'transfer.': ['transfer_id', 'type', 'status', 'amount', 'currency', 'from_account_id', 'to_account_id', 'protocol', 'completed_at'],
  'settlement.': ['payoutId', 'transferId', 'status', 'amount', 'destination'],
  'batch.': ['batch_id', 'status', 'total_count', 'success_count', 'failed_count', 'total_amount', 'currency'],
  'reconciliation.completed': ['report_id', 'rail', 'period', 'totals'],
  'x402.payment.completed': ['payment_id', 'endpoint_id', 'amount', 'currency', 'payer_wallet', 'proof', 'tx_hash'],
  'ap2.mandate.executed': [
    'mandate_id', 'execution_id', 'agent_id', 'merchant_id', 'amount', 'currency', 'remaining_daily', 'remaining_monthly',
  ], // biome-ignore format: one list
  // `priced_by` is ours: whose prices they are.
  'acp.checkout.': ['checkout_id', 'merchant_id', 'status', 'total', 'currency', 'priced_by', 'items'],
  'account.balance.low': ['account_id', 'wallet_id', 'balance', 'threshold', 'currency'],
  'webhook.test': ['message', 'endpoint_id', 'endpoint_name'],
};

/** `value` with another text at the end of `path`. */
function replaced(value: unknown, [name, ...rest]: readonly string[], text: string | undefined): unknown {
  if (name === undefined) return text;
  const inner = (value as Record<string, unknown>)[name];
  if (Array.isArray(value)) return value.with(Number(name), replaced(inner, rest, text));
  return { ...(value as object), [name]: replaced(inner, rest, text) };
}

describe('the event catalog', () => {
  it('has every type of the specification, those it announces, and some of ours', () => {
    const types = catalog.entries().flatMap(({ type }) => (isInternal(type) ? [] : [type]));
    expect(types).toEqual(expect.arrayContaining(specified));
    const rest = types.filter(
      (type) =>
        !specified.includes(type) &&
        !['account.erased', 'webhook.disabled', 'webhook.verification', 'settlement_rule.notified'].includes(type),
    );
    const emitted = rest.filter((type) => emittedFamilies.some((family) => type.startsWith(family)));
    for (const type of emitted) expect(catalog.get(type)?.emitted, type).toBe(true);
    expect(emitted).toEqual(expect.arrayContaining(['requested', 'approved', 'rejected', 'expired'].map((word) => `approval.${word}`)));
    const families = [...announcedFamilies, ...emittedFamilies];
    expect(rest.filter((type) => !families.some((family) => type.startsWith(family)))).toEqual([]);
    for (const family of announcedFamilies) {
      const named = rest.filter((type) => type.startsWith(family));
      expect(named.length, family).toBeGreaterThan(0);
      for (const type of named) expect(catalog.get(type)?.emitted, type).toBe(false);
    }
    expect(catalog.types().map(({ type }) => type)).toEqual([...types].sort());
  });

  it('has one owner for each type', () => {
    const entry = catalog.get('transfer.completed');
    const declared = { 'transfer.completed': entry as never };
    expect(() => new EventCatalog([declared, declared])).toThrow('declared twice');
  });

  it('has examples that fit their schemas, and a subject that is an id of theirs', () => {
    for (const { type, data, example, subject } of catalog.entries()) {
      expect(data.safeParse(example), type).toMatchObject({ success: true });
      // A challenge is about the endpoint that gets it, and a rail is known by its name.
      if (type !== 'webhook.verification' && !type.startsWith('rail.'))
        expect((example as Record<string, unknown>)[subject], type).toMatch(/^[a-z0-9_]+_[0-9a-f-]{36}$/);
      expect(data.safeParse({ ...(example as object), surplus: 1 }).success, type).toBe(false);
    }
  });

  it('prints every id with the prefix of its noun, and takes none without', () => {
    const nouns = Object.entries(idKinds).map(([kind, { prefix }]) => ({
      name: snakeCase(kind),
      prefix,
    }));
    let walked = 0;
    for (const { type, data, example } of catalog.entries()) {
      for (const { path, text } of leavesOf(example)) {
        const where = `${type} ${path.join('.')}`;
        expect(bareId.test(text), where).toBe(false);
        const [, prefix, uuid] = /^([a-z][a-z0-9_]*)_([0-9a-f-]{36})$/.exec(text) ?? [];
        if (prefix === undefined) continue;
        walked += 1;
        const member = snakeCase(path.at(-1) ?? '');
        const noun = nouns.find(({ name }) => member === `${name}_id` || member.endsWith(`_${name}_id`) || member.endsWith(`_${name}`));
        // A session of MPP is a session too.
        if (noun !== undefined) expect(prefix.endsWith(noun.prefix), where).toBe(true);
        expect(
          Object.values(idKinds)
            .map((kind): string => kind.prefix)
            .concat('alr'),
          where,
        ).toContain(prefix);
        // It is the address of a chain, or the end of a number, as well.
        if (member !== 'ref') expect(data.safeParse(replaced(example, path, uuid)).success, `${where} without its prefix`).toBe(false);
      }
    }
    expect(walked).toBeGreaterThan(100);
  });

  it('has channel lines that fit their schemas in every role', () => {
    const shown = catalog.entries().flatMap(({ channel, example }) => (channel === undefined ? [] : [{ channel, example }]));
    expect(shown.map(({ channel }) => channel.type)).toContain('transfer_completed');
    for (const { channel, example } of shown) {
      expect(channel.roles.length, channel.type).toBeGreaterThan(0);
      for (const role of channel.roles) {
        expect(channel.data.safeParse(channel.line(example, role)), `${channel.type} ${role}`).toMatchObject({ success: true });
      }
    }
  });

  it('says the data that the specification says', () => {
    for (const [beginning, expected] of Object.entries(members)) {
      const named = catalog.entries().filter(({ type, emitted }) => type.startsWith(beginning) && (emitted || specified.includes(type)));
      expect(named.length, beginning).toBeGreaterThan(0);
      for (const { type, example } of named) {
        const broken = type === 'settlement.failed' || type === 'settlement.returned' ? ['return', 'errorCode'] : [];
        expect(Object.keys(example as object), type).toEqual([...expected, ...broken]);
      }
    }
  });

  it('says of each type whether this version emits it: what is declared as emitted is emitted somewhere, in TypeScript', () => {
    const declared = /^ {2}'[a-z0-9_.]+':/gm;
    const code = readFiles(['src'], ['.ts']).map(({ text }) => text.replaceAll(declared, ''));
    expect(code.length).toBeGreaterThan(50);
    for (const { type, emitted } of catalog.entries()) {
      const isWritten = code.some((text) => text.includes(`'${type}'`));
      expect(isWritten, type).toBe(emitted);
    }
  });

  it('hides the types of the platform’s own from every pattern and list', () => {
    const own = catalog.entries().flatMap(({ type }) => (isInternal(type) ? [type] : []));
    expect(own).toEqual(expect.arrayContaining(['_budget.alert', '_breaker.tripped']));
    for (const type of own) {
      expect([catalog.hasNamed(type), namesEvent('*', type), namesEvent('_budget.*', type)], type).toEqual([false, false, false]);
      expect(catalog.types().map((entry) => entry.type)).not.toContain(type);
    }
    expect(catalog.hasNamed('_budget.*')).toBe(false);
  });

  it('knows which patterns name a type', () => {
    for (const pattern of ['*', 'transfer.*', 'acp.*', 'acp.checkout.*', 'transfer.completed', 'stream.*'])
      expect(catalog.hasNamed(pattern), pattern).toBe(true);
    for (const pattern of ['', '**', '.*', 'transfer', 'transfer.', 'trans.*', 'transfer.completed.*', 'nothing.*', 'TRANSFER.*'])
      expect(catalog.hasNamed(pattern), pattern).toBe(false);
    expect(namesEvent('*', 'transfer.created')).toBe(true);
    expect(namesEvent('transfer.*', 'transfer.created')).toBe(true);
    expect(namesEvent('acp.*', 'acp.checkout.created')).toBe(true);
    expect(namesEvent('transfer.*', 'account.created')).toBe(false);
    expect(namesEvent('transfer.created', 'transfer.completed')).toBe(false);
  });
});
