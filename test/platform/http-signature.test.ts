// HTTP message signatures against the examples of RFC 9421, Appendix B, and against what must not pass for one.
import { constants, createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyThumbprint } from '../../src/contexts/agents/ed25519.js';
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
import thumbprints from '../vectors/web-bot-auth/jwk_thumbprint_vectors.json' with { type: 'json' };
import botsV1 from '../vectors/web-bot-auth/web_bot_auth_architecture_v1.json' with { type: 'json' };
import botsV2 from '../vectors/web-bot-auth/web_bot_auth_architecture_v2.json' with { type: 'json' };

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

/** Checks a signature with the key of an example, also of the kinds that are not used here. */
function isBaseOf(keyid: string, base: Buffer, bytes: Buffer): boolean {
  const { 'test-shared-secret': secret, ...keys } = vectors.keys;
  if (keyid === 'test-shared-secret')
    return createHmac('sha256', Buffer.from(secret.k_base64, 'base64')).update(base).digest().equals(bytes);
  const key = createPublicKey({ key: keys[keyid as 'test-key-rsa-pss'] as JsonWebKey, format: 'jwk' });
  const rsa = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
  if (key.asymmetricKeyType === 'ed25519') return verify(null, base, key, bytes);
  const [hash, how] = key.asymmetricKeyType === 'ec' ? ['sha256', { dsaEncoding: 'ieee-p1363' as const }] : ['sha512', rsa];
  return verify(hash, base, { key, ...how }, bytes);
}

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
      expect(base).toBe(signature_base);
      expect(isBaseOf(keyid, Buffer.from(base ?? ''), signature?.bytes ?? Buffer.alloc(0))).toBe(true);
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

describe('the examples of Web Bot Auth', () => {
  const examples = [...botsV1, ...botsV2] as { key: Record<string, string>; target_url: string; [member: string]: unknown }[];
  it.each(examples.map((example, n) => [n, example] as const))('number %i', (_, { key: jwk, target_url, ...fields }) => {
    const url = new URL(target_url);
    const agent = fields['signature_agent'] as string | undefined;
    const message: SignedMessage = {
      derived: derivedOf('GET', url.host, url.pathname),
      field: (name) => (name === 'signature-agent' ? agent : undefined),
    };
    const [signature] = parseSignatures(String(fields['signature_input']), String(fields['signature'])) ?? [];
    const base = signature && signatureBase(message, signature);
    if (signature === undefined || base == null) throw new Error('the example was not read');
    expect(signature).toMatchObject({ label: fields['label'], nonce: fields['nonce'], tag: 'web-bot-auth' });
    expect(isCurrent(signature, new Date(Number(fields['created_ms'])))).toBe(true);
    expect(covers(signature, 'signature-agent')).toBe(agent !== undefined);
    const key = signingKeyOf(jwk);
    if (jwk['kty'] === 'RSA') return expect(key).toBeNull();
    expect(key !== null && verifies(key, signature, base)).toBe(true);
    expect(key !== null && verifies(key, signature, base.replace('example.com', 'example.org'))).toBe(false);
    expect(signature.keyId).toBe(keyThumbprint(Buffer.from(jwk['x'] ?? '', 'base64url')));
  });
  it('of thumbprints', () => {
    for (const { jwk, thumbprint } of thumbprints as { jwk: string; thumbprint: string }[]) {
      const { kty, x } = JSON.parse(jwk);
      if (kty === 'OKP') expect(keyThumbprint(Buffer.from(x, 'base64url'))).toBe(thumbprint);
    }
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
      '("content-type";bs)', '("dict";sf)', '("dict";key="c")', '("dict";key="b";tr)', '("@method";req)', '("@query-param")', '("@query-param";name="z")', '("@query-param";name="x";req)',
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
