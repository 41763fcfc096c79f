// The manifest: what contexts say of themselves.
import { describe, expect, it } from 'vitest';
import { manifest } from '../../src/contexts.js';
import { context } from '../../src/manifest/context.js';
import { manifestOf } from '../../src/manifest/manifest.js';
import { defineNoun, nameOf, nouns } from '../../src/manifest/noun.js';
import { Extensions, manyParts, namedParts, onePart } from '../../src/platform/extension.js';
import { idKinds } from '../../src/platform/schema/id.js';

describe('extension points', () => {
  it('hand out what was given, gathered once', () => {
    const [list, names] = [manyParts<string>('a list'), namedParts<number>('numbers')];
    const extensions = new Extensions([list.with('a'), names.with({ one: 1 }), list.with('b'), names.with({ two: 2 })]);
    expect(extensions.of(list)).toEqual(['a', 'b']);
    expect(extensions.of(names).get('two')).toBe(2);
    expect(extensions.of(names)).toBe(extensions.of(names));
    expect(() => extensions.of(names).get('three')).toThrow('no context provides three');
  });

  it('refuse what is there twice, and what is missing', () => {
    const [one, names] = [onePart<string>('the one'), namedParts<number>('numbers')];
    expect(() => new Extensions([one.with('a'), one.with('b')])).toThrow('the one is provided twice');
    expect(() => new Extensions([names.with({ one: 1 }), names.with({ one: 2 })])).toThrow('one is provided twice');
    expect(() => new Extensions([]).of(one)).toThrow('no context provides the one');
  });
});

describe('the nouns', () => {
  const all = manifest.extensions().of(nouns);

  it('have a name, a kind of ids and a prefix that no other has', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(new Set(all.map(nameOf)).size).toBe(all.length);
    for (const { id } of all) expect(idKinds[id.kind].prefix).toBe(id.prefix);
    expect(Object.keys(idKinds)).toHaveLength(all.length + 1);
  });

  it('are what the worker, resets, approvals and wallets ask', () => {
    const table = 'parcel';
    const parcel = defineNoun({
      id: { kind: 'task', prefix: 'task' },
      table,
      due: { concurrency: 1, run: async () => {} },
      openOn: async () => [],
      settling: { where: `status = 'sent'` },
    });
    const { nouns: own, due, extensions } = manifestOf([context({ nouns: [parcel], channelViews: [manifest.followers.view] })]);
    expect(own).toEqual([parcel]);
    expect(due.map((step) => step.table)).toEqual([table]);
    expect(extensions().of(nouns)).toEqual([parcel]);
  });
});
