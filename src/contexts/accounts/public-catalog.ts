// Merchants whose catalogue anybody may read: the directory knows their ids, so that they are found without a credential.
import type { Merchant } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx, Environment, Platform } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { addEntry } from '../identity/directory.js';
import { findEntry } from '../identity/directory.sql.js';
import { type Offer, offerOf } from './offer.js';

/** Under what the directory knows a merchant: SHA-256 of its id as it is printed. */
function merchantHash(id: string): Buffer<ArrayBuffer> {
  return sha256(printId('merchant', id));
}

/**
 * Lists a merchant whose catalogue is public, in the transaction that has written its row: so one waits for another. It stays listed when
 * the catalogue is public no more; the offer of the moment says who may read it.
 */
export async function listPublic(ctx: Ctx, tx: Tx, row: Pick<Merchant, 'id' | 'metadata'>): Promise<void> {
  if (offerOf(row)?.catalog !== 'public') return;
  const hash = merchantHash(row.id);
  if ((await tx.credential.findFirst({ where: { hash }, select: { hash: true } })) !== null) return;
  await addEntry(ctx, tx, { kind: 'merchant', id: row.id, hash });
}

export interface PublicCatalog {
  merchant: Merchant;
  offer: Offer;
  /** Where the merchant is. Nobody has shown a credential there. */
  place: Pick<Ctx, 'platform' | 'workspace' | 'clock'>;
}

/** The merchant of an id in the environment of a listener, where anybody may read its catalogue; else null. */
export async function publicCatalog({ cells }: Platform, id: string, environment: Environment): Promise<PublicCatalog | null> {
  const hash = merchantHash(id);
  const platform = cells.only ?? (await cells.find({ hash }));
  const entry = await findEntry(platform.database.pool, 'merchant', hash);
  if (entry?.workspace.environment !== environment) return null;
  const place = systemCtx(platform, entry.workspace, null);
  const merchant = await place.db.merchant.findFirst({ where: { id } });
  const offer = merchant && offerOf(merchant);
  return merchant !== null && offer?.catalog === 'public' ? { merchant, offer, place } : null;
}
