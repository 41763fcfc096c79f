// Keys and signatures against published vectors, against another library, and against the forgeries that weak keys allow.
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { generateKeyPair, verifySignature, weaknessOf } from '../../../src/contexts/agents/ed25519.js';

interface Group {
  publicKey: { pk: string };
  tests: { tcId: number; msg: string; sig: string; result: 'valid' | 'invalid' }[];
}
const read = (name: string) => JSON.parse(readFileSync(new URL(`../../vectors/ed25519/${name}`, import.meta.url), 'utf8'));
const groups: Group[] = read('wycheproof.json').testGroups;
const edgeCases: { message: string; pub_key: string; signature: string }[] = read('edge_cases.json');
const bytes = (hex: string) => Buffer.from(hex, 'hex');
const p = 2n ** 255n - 19n;
const encode = (y: bigint, sign = 0) => {
  const encoded = bytes(y.toString(16).padStart(64, '0')).reverse();
  encoded[31] = (encoded[31] as number) | (sign << 7);
  return encoded;
};
const order8 = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
];

describe('verifySignature', () => {
  it('agrees with every Wycheproof vector whose message is text', () => {
    let seen = 0;
    for (const { publicKey, tests } of groups) {
      for (const { tcId, msg, sig, result } of tests) {
        const text = bytes(msg).toString('utf8');
        if (!Buffer.from(text).equals(bytes(msg))) continue;
        seen += 1;
        const verified = verifySignature(bytes(publicKey.pk), text, bytes(sig).toString('base64'));
        expect(verified, `tcId ${tcId}`).toBe(result === 'valid');
      }
    }
    expect(seen).toBeGreaterThan(80);
  });

  it('takes what tweetnacl signs with a generated private key, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const { publicKey, privateKey } = generateKeyPair();
        const signature = nacl.sign.detached(Buffer.from(text), Buffer.from(privateKey, 'base64'));
        expect(verifySignature(publicKey, text, Buffer.from(signature).toString('base64'))).toBe(true);
        expect(verifySignature(publicKey, `${text}.`, Buffer.from(signature).toString('base64'))).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it('takes strict base64 of 64 bytes only', () => {
    const { publicKey, privateKey } = generateKeyPair();
    const raw = Buffer.from(nacl.sign.detached(Buffer.from('text'), Buffer.from(privateKey, 'base64')));
    const good = raw.toString('base64');
    expect(verifySignature(publicKey, 'text', good)).toBe(true);
    const bad = [
      good.slice(0, -1),
      good.slice(0, -2),
      `${good} `,
      ` ${good}`,
      `${good.slice(0, 20)}\n${good.slice(20)}`,
      raw.toString('hex'),
      '',
      '====',
    ];
    for (const signature of bad) expect(verifySignature(publicKey, 'text', signature), signature).toBe(false);
    expect(verifySignature(publicKey, 'text', Buffer.concat([raw, raw]).toString('base64'))).toBe(false);
  });

  it('needs less than a third of the time of a verification in JavaScript once a key is known', () => {
    const { publicKey, privateKey } = generateKeyPair();
    const signed = nacl.sign.detached(Buffer.from('text'), Buffer.from(privateKey, 'base64'));
    const signature = Buffer.from(signed).toString('base64');
    const cpuOf = (work: () => unknown) => {
      for (let n = 0; n < 50; n += 1) work();
      const before = process.cpuUsage();
      for (let n = 0; n < 100; n += 1) work();
      return process.cpuUsage(before).user;
    };
    const ours = cpuOf(() => verifySignature(publicKey, 'text', signature));
    expect(ours).toBeLessThan(cpuOf(() => nacl.sign.detached.verify(Buffer.from('text'), signed, publicKey)) / 3);
  });
});

describe('generateKeyPair', () => {
  it('gives a NaCl secret key: the seed, then the public key', () => {
    const { publicKey, privateKey } = generateKeyPair();
    const secret = Buffer.from(privateKey, 'base64');
    expect(secret).toHaveLength(64);
    expect(secret.subarray(32).equals(publicKey)).toBe(true);
    expect(Buffer.from(nacl.sign.keyPair.fromSeed(secret.subarray(0, 32)).publicKey).equals(publicKey)).toBe(true);
  });
});

describe('weaknessOf', () => {
  it('passes every honest key', () => {
    for (const { publicKey } of groups) expect(weaknessOf(bytes(publicKey.pk)), publicKey.pk).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        expect(weaknessOf(nacl.sign.keyPair.fromSeed(seed).publicKey)).toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  it('refuses the eight points of low order, under either sign', () => {
    const ys = [encode(0n), encode(1n), encode(p - 1n), ...order8.map(bytes)];
    for (const y of ys) {
      for (const sign of [0, 128]) {
        const key = Buffer.from(y);
        key[31] = (key[31] as number) | sign;
        expect(weaknessOf(key), key.toString('hex')).toMatch(/low order/);
      }
    }
  });

  it('refuses encodings that are not canonical', () => {
    for (let y = p; y < 2n ** 255n; y += 1n) for (const sign of [0, 1]) expect(weaknessOf(encode(y, sign))).toMatch(/canonical/);
  });

  it('refuses what is not a point of the curve, about half of all encodings', () => {
    const refused = Array.from({ length: 200 }, (_, i) => weaknessOf(encode(BigInt(i + 2)))).filter((fault) => fault !== null);
    expect(refused.length).toBeGreaterThan(60);
    expect(refused.length).toBeLessThan(140);
    expect(new Set(refused)).toEqual(new Set(['is not a point of the curve']));
  });

  it('refuses the low-order keys of the edge cases, under which OpenSSL takes a signature for two different messages', () => {
    const weak = edgeCases.filter(({ pub_key }) => weaknessOf(bytes(pub_key)) !== null);
    expect(weak.length).toBeGreaterThanOrEqual(4);
    // The neutral element as key, with R the neutral element and S zero: "signs" everything.
    const neutral = encode(1n);
    const forged = Buffer.concat([neutral, Buffer.alloc(32)]);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: neutral.toString('base64url') }, format: 'jwk' });
    expect(['one', 'another'].map((text) => verify(null, Buffer.from(text), key, forged))).toEqual([true, true]);
    expect(weaknessOf(neutral)).toMatch(/low order/);
  });
});
