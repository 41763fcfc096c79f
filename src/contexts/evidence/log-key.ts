// The keys of a log as others are told of them: verifier keys of notes, and a statement of the platform that they are the log's.
import { CompactSign } from 'jose';
import type { EvidenceKey, EvidenceLog } from '../../generated/prisma/client.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import type { Ctx } from '../../platform/ctx.js';
import { issuerOf } from '../identity/jwt.js';
import { signingAlg, signingKey } from '../identity/signing-key.js';
import { vkeyOf } from './note.js';

/** A key of a log. */
export interface LogKey {
  vkey: string;
  from: Date;
  /** Null: it still signs. */
  until: Date | null;
}

/** Keys of a log, at most. */
export const mostKeys = 20;

/** Keys of the log, the oldest first. */
export function keysOf({ db }: Pick<Ctx, 'db'>, { id: logId }: EvidenceLog): Promise<EvidenceKey[]> {
  return db.evidenceKey.findMany({ where: { logId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: mostKeys });
}

/** As readers of notes take them. */
export function printKeys({ origin }: EvidenceLog, keys: readonly EvidenceKey[]): LogKey[] {
  return keys.map(({ publicKey, createdAt, retiredAt }) => ({ vkey: vkeyOf({ origin, publicKey }), from: createdAt, until: retiredAt }));
}

/** The JWS (ES256) by which the platform says that a key is that of the log. It is signed at its first request, and kept. */
export async function keyJws({ db, platform }: Ctx, { origin }: EvidenceLog, { id, publicKey, jws }: EvidenceKey): Promise<string> {
  if (jws !== null) return jws;
  const { kid, privateKey } = await signingKey(platform);
  const text = canonicalJson({ iss: issuerOf(platform), origin, vkey: vkeyOf({ origin, publicKey }) });
  const made = await new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: signingAlg, kid, typ: 'JOSE' }).sign(privateKey);
  await db.evidenceKey.updateMany({ where: { id, jws: null }, data: { jws: made } });
  // The first one counts, whoever signed it.
  return (await db.evidenceKey.findFirstOrThrow({ where: { id }, select: { jws: true } })).jws ?? made;
}
