// What is kept of an API key, and when it counts.
import { describe, expect, it } from 'vitest';
import { apiKeyRow, apiKeyStatus, newApiKey } from '../../../src/contexts/identity/api-key.js';
import { sha256 } from '../../../src/platform/crypto.js';

const at = new Date('2026-11-21T12:00:00Z');
const before = new Date(at.getTime() - 1);
const after = new Date(at.getTime() + 1);

describe('the status of a key', () => {
  const cases = [
    ['never ending', null, null, 'active'],
    ['a millisecond before its end', after, null, 'active'],
    ['at its end', at, null, 'expired'],
    ['past its end', before, null, 'expired'],
    ['revoked', null, before, 'revoked'],
    ['revoked and past its end', before, before, 'revoked'],
  ] as const;
  for (const [name, expiresAt, revokedAt, status] of cases) {
    it(`${name} is ${status}`, () => expect(apiKeyStatus({ expiresAt, revokedAt }, at)).toBe(status));
  }
});

describe('a new key', () => {
  it('says its environment and cannot be guessed', () => {
    expect(newApiKey('test')).toMatch(/^pk_test_[A-Za-z0-9_-]{43}$/);
    expect(newApiKey('live')).toMatch(/^pk_live_[A-Za-z0-9_-]{43}$/);
    expect(new Set(Array.from({ length: 100 }, () => newApiKey('test'))).size).toBe(100);
  });

  it('is kept as a hash and twelve characters', () => {
    const key = newApiKey('live');
    const row = apiKeyRow({ key, name: 'Shop' }, at);
    expect(row).toMatchObject({ name: 'Shop', prefix: key.slice(0, 12), scopes: ['*'], expiresAt: null, createdAt: at });
    expect(row.hash.equals(sha256(key))).toBe(true);
    expect(JSON.stringify(row)).not.toContain(key.slice(12));
  });
});
