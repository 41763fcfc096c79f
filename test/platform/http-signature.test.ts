// HTTP message signatures against the examples of RFC 9421, Appendix B, and against what must not pass for one.
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  contentDigest,
  covers,
  derivedOf,
  isCurrent,
  isDigestOf,
  type MessageSignature,
  parseSignatures,
  type SignedMessage,
  signatureBase,
  signingKeyOf,
  verifies,
} from '../../src/platform/http-signature.js';
import vectors from '../vectors/rfc9421/appendix_b.json' with { type: 'json' };

function messageOf({ start_line, headers }: { start_line: string; headers: string[][] }): SignedMessage {
  const field = (name: string) =>
    headers
      .filter(([key]) => key?.toLowerCase() === name)
      .map(([, value]) => value)
      .join(', ') || undefined;
  const [first = '', second = ''] = start_line.split(' ');
  if (first.startsWith('HTTP')) return { derived: { '@status': second }, field };
  return { derived: derivedOf(first, field('host') ?? '', second), field };
}

const only = (input: string, value = ':AA==:'): MessageSignature => {
  const [signature] = parseSignatures(`sig1=${input}`, `sig1=${value}`) ?? [];
  if (signature === undefined) throw new Error(`no signature: ${input}`);
  return signature;
};

describe('the examples of RFC 9421', () => {
  const messages: Record<string, SignedMessage> = {
    request: messageOf(vectors.messages.request),
    response: messageOf(vectors.messages.response),
  };
  for (const { title, label, signature_base, keyid, message, ...fields } of vectors.cases) {
    const [signature] = parseSignatures(fields['Signature-Input'], fields.Signature) ?? [];
    const base = signature && signatureBase(messages[message] as SignedMessage, signature);
    it(title, () => {
      expect(signature).toMatchObject({ label, keyId: keyid, created: 1618884473 });
      // A part of the query is a component that this does not know.
      expect(base).toBe(fields['Signature-Input'].includes('@query-param') ? null : signature_base);
    });
    const key = signingKeyOf(vectors.keys[keyid as 'test-key-ed25519'] as Record<string, string>);
    if (!/ed25519|ecdsa/.test(title)) continue;
    it(`${title} verifies, and for no other base, bytes or alg`, () => {
      if (key === null || signature === undefined || base == null) throw new Error('the example was not read');
      expect(verifies(key, signature, base)).toBe(true);
      expect(verifies(key, signature, `${base} `)).toBe(false);
      expect(verifies(key, { ...signature, bytes: Buffer.from(signature.bytes).fill(1, 5, 6) }, base)).toBe(false);
      expect(verifies(key, { ...signature, alg: key.alg }, base)).toBe(true);
      expect(verifies(key, { ...signature, alg: 'hmac-sha256' }, base)).toBe(false);
    });
  }
  it('keys of other kinds are not used', () => {
    expect(signingKeyOf(vectors.keys['test-key-rsa-pss'])).toBeNull();
    expect(signingKeyOf({ ...vectors.keys['test-key-ed25519'], alg: 'ES256' })).toBeNull();
    expect(signingKeyOf({ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' })).toBeNull();
  });
});

describe('a request', () => {
  const fields: Record<string, string> = { host: 'Shop.example:443', 'content-type': ' application/json ', dict: 'a=1,  b=(x   y);z' };
  const message: SignedMessage = { derived: derivedOf('post', 'Shop.example:443', '/a%20b?x=1&y'), field: (name) => fields[name] };
  it('is spelled in one way', () => {
    const signature = only('("@method" "@authority" "@path" "@query" "content-type" "dict";key="b");keyid="k"');
    expect(signatureBase(message, signature)?.split('\n')).toEqual([
      '"@method": POST',
      '"@authority": shop.example',
      '"@path": /a%20b',
      '"@query": ?x=1&y',
      '"content-type": application/json',
      '"dict";key="b": (x y);z',
      '"@signature-params": ("@method" "@authority" "@path" "@query" "content-type" "dict";key="b");keyid="k"',
    ]);
    expect([covers(signature, 'dict'), covers(signature, 'dict', 'b'), covers(signature, 'content-type', 'x')]).toEqual([true, true, true]);
    expect(covers(signature, 'dict', 'a')).toBe(false);
    expect(covers(signature, 'host')).toBe(false);
    expect(derivedOf('GET', 'a:8080', '/')).toMatchObject({ '@authority': 'a:8080', '@query': '?' });
  });
  it('has no base where a component is missing, doubled or unknown', () => {
    for (const input of [
      '("absent")', '("@method" "@method")', '("content-type" "content-type")', '("@status")', '("@target-uri")', '("Content-Type")',
      '("content-type";bs)', '("dict";sf)', '("dict";key="c")', '("dict";key="b";tr)', '("@method";req)', '("@query-param";name="x")',
    ]) // biome-ignore format: a table
      expect([input, signatureBase(message, only(input))]).toEqual([input, null]);
  });
});

describe('the fields', () => {
  it('are refused where they are not read in one way alone', () => {
    for (const [input, signature] of [
      ['', ''],
      ['sig1=()', ''],
      ['sig1=()', 'sig2=:AA==:'],
      ['sig1=()', 'sig1=:AA==:, sig2=:AA==:'],
      ['sig1=(), sig1=()', 'sig1=:AA==:'],
      ['sig1=()', 'sig1=:AA==:, sig1=:AAA=:'],
      ['sig1=();created="1"', 'sig1=:AA==:'],
      ['sig1=();created=1.5', 'sig1=:AA==:'],
      ['sig1=();expires=?1', 'sig1=:AA==:'],
      ['sig1=();keyid=k', 'sig1=:AA==:'],
      ['sig1=();alg=ed25519', 'sig1=:AA==:'],
      ['sig1=(method)', 'sig1=:AA==:'],
      ['sig1="@method"', 'sig1=:AA==:'],
      ['sig1=()', 'sig1="AA=="'],
      ['sig1=()', 'sig1=:A-==:'],
    ])
      expect([input, parseSignatures(input ?? '', signature ?? '')]).toEqual([input, null]);
  });
  it('keep the parameters as they came', () => {
    expect(only('("@method"  "@path");keyid="k";created=1').input).toBe('("@method"  "@path");keyid="k";created=1');
  });
});

it('a signature counts from its creation until it expires', () => {
  const now = new Date(1_000_000);
  const at = (parameters: string) => isCurrent(only(`()${parameters}`), now);
  expect([at(''), at(';created=1'), at(';created=1060'), at(';expires=1001'), at(';created=1;expires=1001')]).toEqual(Array(5).fill(true));
  expect([at(';created=1061'), at(';expires=1000'), at(';expires=1'), at(';created=2000;expires=3000')]).toEqual(Array(4).fill(false));
});

it('ECDSA is taken as r and s, not as DER', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = signingKeyOf(publicKey.export({ format: 'jwk' }) as Record<string, string>);
  if (key === null) throw new Error('no key');
  const by = (dsaEncoding: 'der' | 'ieee-p1363') => sign('sha256', Buffer.from('base'), { key: privateKey, dsaEncoding });
  expect(verifies(key, { ...only('()'), bytes: by('ieee-p1363') }, 'base')).toBe(true);
  expect(verifies(key, { ...only('()'), bytes: by('der') }, 'base')).toBe(false);
});

it('a digest is the SHA-256 of the very bytes', () => {
  const bytes = Buffer.from('{"hello": "world"}');
  expect(isDigestOf(contentDigest(bytes), bytes)).toBe(true);
  expect(isDigestOf(`${contentDigest(bytes)}, sha-512=:AAAA:`, bytes)).toBe(true);
  for (const wrong of ['', 'sha-256', 'sha-256="x"', 'sha-512=:AAAA:', contentDigest('{"hello":"world"}')])
    expect(isDigestOf(wrong, bytes)).toBe(false);
});
