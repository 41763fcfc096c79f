// Ids: UUIDv7 of workspace time, in order within a process, with and without the prefix of their kind.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IdKind, idKinds, newId, parseId, printId } from '../../../src/platform/schema/id.js';

const kinds = Object.keys(idKinds) as IdKind[];
const at = new Date('2026-03-02T10:00:00.123Z');
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('newId', () => {
  it('is a UUIDv7 of the time that it is given', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (time) => {
        const id = newId(time);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(timeOf(id)).toBe(time.getTime());
      }),
    );
  });

  it('grows within one millisecond, and from one to the next', () => {
    const ids = Array.from({ length: 20_000 }, (_, n) => newId(new Date(at.getTime() + Math.floor(n / 10_000))));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('grows by each of the clocks that are used in turn', () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => newId(new Date(at.getTime() + (n % 10) * 86_400_000)));
    for (let clock = 0; clock < 10; clock += 1) {
      const own = ids.filter((__, n) => n % 10 === clock);
      expect([...own].sort()).toEqual(own);
    }
  });

  it('does not repeat when time goes back and forth', () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => newId(new Date(at.getTime() + (n % 2))));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('printId and parseId', () => {
  it('are each other’s inverse, for every kind', () => {
    for (const kind of kinds) {
      const id = newId(at);
      expect(printId(kind, id)).toBe(`${idKinds[kind].prefix}_${id}`);
      expect(parseId(kind, printId(kind, id))).toBe(id);
      expect(parseId(kind, id)).toBe(id);
      expect(parseId(kind, id.toUpperCase())).toBe(id);
    }
  });

  it('take no prefix of another kind', () => {
    for (const kind of kinds) {
      for (const other of kinds) if (other !== kind) expect(parseId(kind, printId(other, newId(at)))).toBeNull();
    }
  });

  it('have a prefix of its own for every kind', () =>
    expect(new Set(Object.values(idKinds).map(({ prefix }) => prefix)).size).toBe(kinds.length));

  it('take nothing else', () => {
    const id = newId(at);
    for (const text of [
      '',
      'acc_',
      `acc_acc_${id}`,
      `${id} `,
      `${id}\n`,
      ` ${id}`,
      id.replaceAll('-', ''),
      `{${id}}`,
      `ACC_${id}`,
      id.slice(1),
    ]) {
      expect(parseId('account', text), JSON.stringify(text)).toBeNull();
    }
    fc.assert(fc.property(fc.anything(), (value) => parseId('account', value) === null));
  });
});
