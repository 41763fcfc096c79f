// Packs whose hashes and signatures are right, and which a platform that lies has made of what does not fit together. Each rule of the
// verifier is broken by one of them, alone.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forgedMoney } from '../factories/forged-pack.js';
import { forms, heads, keptHead } from './form-case.js';
import { amounts, receipts, rules } from './meaning-case.js';
import { checkout, legs, refunded, type Told, verdictOf } from './told-pack.js';

describe('a pack that a platform makes of what fits', () => {
  it.each<[string, (told: Told) => void]>([
    ['everything that it can have', () => {}],
    ['a checkout', (t) => checkout(t, {})],
    ['a limit that was passed, and approved', (t) => (t.payment.sealed = { figures: [{ rule_id: 'pol_1:0', used: '99.00' }] })],
    [
      'money that was held to be given back, and was',
      (t) => {
        const { refund_of, ...held } = t.refund.parts['money'];
        t.order.splice(6, 0, { role: 'refund', parts: { money: { ...held, amount: '4.00', refund_of, status: 'pending' } } });
        refunded(t, '4.00');
      },
    ],
    [
      'a hold that was signed, and captured',
      (t) => {
        const { signature } = t.payment.parts['authority'];
        delete t.payment.parts['authority'].signature;
        t.payment.role = 'capture';
        t.order.splice(3, 0, { role: 'hold', parts: { authority: { signature } } });
      },
    ],
    [
      'an attempt that came to nothing beside it',
      (t) => t.order.splice(3, 0, { role: 'checkout', parts: { money: forgedMoney({ status: 'pending', transfer_id: 'tx_9' }) } }),
    ],
    ['all that was paid given back', (t) => refunded(t, '4.00')],
    [
      'a fee that the payer bears',
      (t) => Object.assign(t.payment.parts['money'], { fee: '0.10', legs: legs(['wal_1', '-4.10'], ['wal_2', '4.00'], ['', '0.10']) }),
    ],
    [
      'nothing shown',
      (t) => {
        t.payment.hidden = ['act', 'money', 'offer', 'authority', 'decision', 'figures'];
        t.pack.attached = {};
      },
    ],
  ])('of %s is whole', (_what, change) => {
    expect(verdictOf(change)).toMatchObject({ outcome: 'own' });
  });

  it('is anchored by its key, and by heads of before', () => {
    expect(verdictOf((t) => Object.assign(t, { trust: { vkeys: [t.forger.vkey] } }))).toMatchObject({ outcome: 'anchored' });
    for (const size of [2, 7])
      expect(verdictOf((t) => keptHead(t, (forger) => forger.checkpoint(size)))).toMatchObject({ outcome: 'anchored' });
    // Nothing proves a head of another size.
    expect(verdictOf((t) => keptHead(t, (forger) => forger.checkpoint(3)))).toMatchObject({ outcome: 'own' });
  });
});

const messages: string[] = [];

describe('a pack that a platform makes of what does not fit', () => {
  it.each([...forms, ...heads, ...amounts, ...rules, ...receipts])('with %s is broken at %s', (_what, leg, change) => {
    const verdict = verdictOf(change);
    expect(verdict).toMatchObject({ outcome: 'broken', leg });
    if (verdict.outcome === 'broken') messages.push(verdict.message);
  });

  it('breaks each rule of the verifier', () => {
    const folder = new URL('../../verify/src/', import.meta.url);
    const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const said = sources.flatMap((source) => [
      ...[...source.matchAll(/\bhold\((?:[^;]*?), (['`])(\w[^'`]*)\1\);/g)].map(([, , text = '']) => text),
      ...[...source.matchAll(/(?:return|:) (['`])((?:is|has|cannot|a|the) [^'`]+)\1;/g)].map(([, , text = '']) => text),
    ]);
    const isBroken = (text: string) => {
      const pieces = text.split(/\$\{[^}]+\}/).map((piece) => piece.replace(/[.*+?^()|[\]\\]/g, '\\$&'));
      return messages.some((message) => new RegExp(pieces.join('.*')).test(message));
    };
    expect(said.length).toBeGreaterThan(50);
    expect(said.filter((text) => !isBroken(text))).toEqual([]);
  });
});
