// What a pack says in words: who authorized it, under which limits, what was shown, what was paid, and what came after it.
import { describe, expect, it } from 'vitest';
import { statementsOf } from '../../../verify/src/story.js';
import { verifyPack } from '../../../verify/src/verify.js';
import { evidenceKinds } from '../../factories/evidence-kind.js';
import { useHarness } from '../../harness.js';

const h = useHarness();

describe('the story of', () => {
  it.each(Object.entries(evidenceKinds))('%s', async (_kind, { pay, story }) => {
    const id = (await pay(h)).slice(-36);
    const { body } = await h.test.get(`/v1/transfers/${id}/evidence`);
    const verdict = verifyPack(JSON.stringify(body));
    if (!('checked' in verdict)) expect.fail(JSON.stringify(verdict));
    const said = statementsOf(verdict);
    const texts = said.map(({ text }) => text);
    const places = story.map((sentence) => texts.findIndex((text) => sentence.test(text)));
    expect(places, texts.join('\n')).toEqual([...places].sort((a, b) => a - b));
    expect(places, texts.join('\n')).not.toContain(-1);
    expect(texts.filter((text) => /undefined|\[object|null/.test(text))).toEqual([]);
    // Each sentence is carried by a leaf of the file.
    const leaves = body.leaves.map(({ index }: { index: number }) => BigInt(index));
    expect(said.filter(({ leaf }) => leaf === null || !leaves.includes(leaf))).toEqual([]);
  });
});
