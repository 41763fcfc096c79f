// Challenges, credentials and receipts of the scheme `Payment`.
import { describe, expect, it } from 'vitest';
import {
  type Challenge,
  decodeMember,
  isOverdue,
  isOwnChallenge,
  makeChallenge,
  type NewMppChallenge,
  printChallenge,
  printCredential,
  printReceipt,
  readChallenges,
  readCredential,
} from '../../../src/contexts/mpp/challenge.js';
import golden from '../../vectors/mpp/challenge_id_hmac.json' with { type: 'json' };

const terms: NewMppChallenge = {
  realm: 'api.example.com',
  method: 'ledger',
  intent: 'charge',
  request: { currency: 'usd', amount: '125' },
  expires: '2026-03-02T10:00:00Z',
  description: 'One "page", \\ two',
};
const made = makeChallenge('secret', terms);

describe('the id of a challenge', () => {
  it.each(golden.vectors.map((vector) => [vector.label, vector] as const))('is that of the reference: %s', (_label, vector) => {
    const { meta, ...params } = vector.params as NewMppChallenge & { meta?: object };
    const challenge = makeChallenge(golden.secret, { ...params, opaque: meta });
    expect(challenge.id).toBe(vector.expectedId);
    expect(isOwnChallenge(golden.secret, challenge)).toBe(true);
  });

  it('binds every member but the description', () => {
    const changes: Partial<Challenge>[] = [
      { realm: 'other.example.com' },
      { method: 'evm' },
      { intent: 'session' },
      { request: made.opaque ?? 'e30' },
      { expires: '2027-03-02T10:00:00Z' },
      { expires: undefined },
      { digest: 'sha-256=x' },
      { opaque: 'e30' },
      { id: `${made.id}=` },
      { id: made.id.slice(1) },
    ];
    for (const change of changes) expect(isOwnChallenge('secret', { ...made, ...change }), JSON.stringify(change)).toBe(false);
    expect(isOwnChallenge('another secret', made)).toBe(false);
    expect(isOwnChallenge('secret', { ...made, description: 'Another' })).toBe(true);
  });

  it('keeps members apart that are empty', () => {
    const at = '2026-03-02T10:00:00Z';
    const [first, second] = [
      makeChallenge('secret', { ...terms, expires: at }),
      makeChallenge('secret', { ...terms, expires: undefined, digest: at }),
    ];
    expect(first.id).not.toBe(second.id);
  });
});

describe('a WWW-Authenticate field', () => {
  it('has one challenge or several, beside those of other schemes', () => {
    const other = makeChallenge('secret', { ...terms, method: 'evm', description: 'a, Payment id=b' });
    expect(readChallenges(printChallenge(made))).toEqual([made]);
    const line = `Basic YWxhZGRpbg==, ${printChallenge(made)}, Bearer realm="x", error=none, ${printChallenge(other)}, Negotiate`;
    expect(readChallenges(line)).toEqual([made, other]);
    expect(decodeMember(made.request)).toEqual(terms.request);
  });

  it.each([
    '',
    'Bearer realm="x"',
    'Payment',
    'Payment id="x"',
    'realm="x"',
    'Payment id="x',
    printChallenge(made).replace('Payment', 'Payments'),
    `${printChallenge(made)}, id="twice"`,
    printChallenge({ ...made, method: 'Ledger' }),
    printChallenge({ ...made, request: 'bm8' }),
    printChallenge({ ...made, expires: 'soon' }),
    `${printChallenge(made)}${' '.repeat(20_000)}`,
  ])('has none: %.40s', (field) => expect(readChallenges(field)).toEqual([]));
});

describe('a credential', () => {
  const credential = { challenge: made, source: 'agt_1', payload: { signature: 'x' } };

  it('comes back as it was', () => {
    expect(readCredential(printCredential(credential))).toEqual(credential);
    expect(readCredential(printCredential(credential).replace('Payment', 'payment'))).toEqual(credential);
  });

  const encoded = (value: unknown) => `Payment ${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
  it.each([
    '',
    'Payment',
    'Bearer x',
    'Payment {}',
    'Payment e30',
    encoded([]),
    encoded({ challenge: made }),
    encoded({ ...credential, challenge: { ...made, request: 7 } }),
    encoded({ ...credential, payload: 'x' }),
    `${printCredential(credential)}=`,
    `${printCredential(credential)}, Payment e30`,
  ])('is none: %.40s', (field) => expect(readCredential(field)).toBeNull());
});

it('a challenge is over at its instant', () => {
  expect(isOverdue(made, new Date('2026-03-02T09:59:59.999Z'))).toBe(false);
  expect(isOverdue(made, new Date('2026-03-02T10:00:00.000Z'))).toBe(true);
  expect(isOverdue({ expires: undefined }, new Date())).toBe(false);
});

it('a receipt is JSON in base64url', () => {
  const receipt = { status: 'success', method: 'ledger', timestamp: '2026-03-02T10:00:00Z', reference: 'tx_1' } as const;
  expect(decodeMember(printReceipt(receipt))).toEqual(receipt);
});
