// Browser sessions as requests meet them: looked up once, then kept until any process changes them. Warm, a check costs no query.

import { markOf } from '../../platform/cell/mark.js';
import { addSeconds } from '../../platform/clock.js';
import { type Identity, LoginExpired } from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { Batch } from '../../platform/statement-batch.js';
import { actorOf } from './login.js';
import { type Seen, writeSeen } from './login-use.sql.js';
import { loginByHash, placeAt } from './lookup.js';
import { openMethods, settingsOf } from './sign-in-setting.js';

interface KnownLogin {
  id: string;
  tenantId: string;
  memberId: string;
  environment: Environment;
  identity: Identity;
  idleSeconds: number;
  expiresAt: Date;
  /** As this process knows. */
  lastSeenAt: Date;
}

/** A use is written at most this often. */
const everySeconds = 60;
const mostWaiting = 10_000;

/** Where a cookie leads by its mark; one without is of the first cell. */
export const traceOfLogin = (cookie: string) => markOf(cookie, '');

/** Who is behind the cookie of a browser session. 401 `login_expired` where it is unknown, has ended, or is of the other environment. */
export async function identityOfLogin(platform: Platform, cookie: string, environment: Environment): Promise<Identity> {
  const hash = sha256(cookie);
  const known = await platform.cache.get<KnownLogin | null>(`login:${hash.toString('base64')}`, async () => {
    const value = await load(platform, hash);
    return {
      value,
      tags:
        value === null
          ? []
          : [`login:${value.id}`, `member:${value.memberId}`, `sign_in:${value.tenantId}`, `workspace:${value.identity.workspace.id}`],
    };
  });
  const at = platform.clock.now();
  if (known === null || known.environment !== environment) throw new LoginExpired();
  if (known.expiresAt <= at || addSeconds(known.lastSeenAt, known.idleSeconds) <= at) throw new LoginExpired();
  noteSeen(platform, known, at);
  return known.identity;
}

async function load(platform: Platform, hash: Buffer<ArrayBuffer>): Promise<KnownLogin | null> {
  const row = await loginByHash(platform, hash);
  if (row === null || row.endedAt !== null || row.member.status !== 'active') return null;
  const { id, tenantId, memberId, environment, idleSeconds, expiresAt, lastSeenAt, member } = row;
  const { password, passkeys, identity: elsewhere, tenant } = member;
  const held = { password: password !== null, passkey: passkeys.length > 0, issuer: elsewhere?.issuer ?? null };
  const methods = openMethods(settingsOf(tenant.signInSetting), held);
  const { workspace } = await placeAt(platform, tenantId, environment);
  const identity = { actor: actorOf(row, member, { methods, environment }), workspace };
  return { id, tenantId, memberId, environment, identity, idleSeconds, expiresAt, lastSeenAt };
}

const writers = new WeakMap<Platform, Batch<Seen, void>>();

function noteSeen(platform: Platform, known: KnownLogin, at: Date): void {
  if (known.lastSeenAt > addSeconds(at, -everySeconds)) return;
  known.lastSeenAt = at;
  let writer = writers.get(platform);
  if (writer === undefined) {
    const { database, log } = platform;
    writer = new Batch<Seen, void>(async (seen) => {
      await writeSeen(database.pool, seen).catch((error: unknown) =>
        log.warn({ err: error }, 'the use of browser sessions was not written'),
      );
      return [];
    });
    writers.set(platform, writer);
  }
  const { tenantId, id, memberId } = known;
  if (writer.length < mostWaiting) void writer.add({ tenantId, id, memberId, at });
}
