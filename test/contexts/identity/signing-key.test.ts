// The keys that sign JWT sessions: made once, sealed at rest, replaced without ending the sessions of the last hour.
import { calculateJwkThumbprint } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { jwtCredential } from '../../../src/contexts/identity/credential.js';
import { jwks, signingKey, verificationKey } from '../../../src/contexts/identity/signing-key.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { Vault } from '../../../src/platform/secrets/vault.js';
import { openPlatform } from '../../../src/server.js';
import { useHarness } from '../../harness.js';
import { signIn } from './sign-in.js';

const harness = useHarness();
const table = () => harness.directory.database.unscoped.signingKey;
const forget = () => {
  for (const { cache } of [harness.platform, harness.directory]) cache.clear();
};
const accepted = (token: string) =>
  jwtCredential.resolve(harness.platform, token, 'test').then(
    () => true,
    () => false,
  );

afterEach(async () => {
  await table().deleteMany();
  forget();
});

describe('the signing key', () => {
  it('is made once, whoever comes first, and named by its thumbprint', async () => {
    const kids = await Promise.all(Array.from({ length: 6 }, async () => (await signingKey(harness.platform)).kid));
    expect(new Set(kids).size).toBe(1);
    expect(await table().count()).toBe(1);
    const { keys } = await jwks(harness.platform);
    expect(keys).toEqual([expect.objectContaining({ kid: kids[0], alg: 'ES256', use: 'sig', crv: 'P-256' })]);
    expect(await calculateJwkThumbprint(keys[0] ?? {})).toBe(kids[0]);
  });

  it('is sealed at rest', async () => {
    const { kid } = await signingKey(harness.platform);
    const { sealedKey, publicJwk } = await table().findUniqueOrThrow({ where: { id: kid } });
    expect(Buffer.from(sealedKey).toString('latin1')).not.toContain('"d"');
    expect(publicJwk).not.toHaveProperty('d');
    expect(JSON.parse(harness.platform.vault.open(sealedKey, kid))).toHaveProperty('d');
  });

  it('retired, signs nothing more; what it signed counts until it has expired', async () => {
    const token = await signIn(harness.test);
    const { kid } = await signingKey(harness.platform);
    await table().update({ where: { id: kid }, data: { retiredAt: harness.clock.now() } });
    forget();
    const next = await signingKey(harness.platform);
    expect(next.kid).not.toBe(kid);
    expect((await jwks(harness.platform)).keys).toHaveLength(2);
    expect(await accepted(token)).toBe(true);
    harness.clock.advance(3_600);
    expect(await accepted(token)).toBe(false);
    // A mandate that it signed may still be good.
    expect((await jwks(harness.platform)).keys).toHaveLength(2);
    harness.clock.advance(366 * 86_400);
    expect((await jwks(harness.platform)).keys.map((key) => key.kid)).toEqual([next.kid]);
  });

  it('that another process put in is found by its kid', async () => {
    const { config, log, clock } = harness.platform;
    const { databaseUrl, secretsKey } = config;
    if (databaseUrl === null || secretsKey === null) throw new Error('the harness fills both in');
    const { kid } = await signingKey(harness.platform);
    harness.clock.advance(5);
    await table().update({ where: { id: kid }, data: { retiredAt: harness.clock.now() } });
    const second = await openPlatform({ config: { ...config, databaseUrl, secretsKey }, log, clock });
    try {
      const next = await signingKey(second);
      expect(next.kid).not.toBe(kid);
      expect((await signingKey(harness.platform)).kid).toBe(kid);
      expect(await verificationKey(harness.platform, next.kid, 60)).not.toBeNull();
      expect(await verificationKey(harness.platform, 'unknown', 60)).toBeNull();
    } finally {
      await second.cache.close();
      await second.database.close();
    }
  });

  it('that SECRETS_KEY does not open any more is replaced; its public half still counts', async () => {
    const token = await signIn(harness.test);
    const { kid } = await signingKey(harness.platform);
    forget();
    const changed: Platform = { ...harness.platform, vault: new Vault('ab'.repeat(32)) };
    expect((await signingKey(changed)).kid).not.toBe(kid);
    expect((await jwks(changed)).keys).toHaveLength(2);
    await expect(jwtCredential.resolve(changed, token, 'test')).resolves.toMatchObject({ actor: { type: 'user' } });
  });
});
