// What was delivered for a transfer, where the request that says so is another one's: evidence keeps it (CONTRACT.md 25).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { onePart } from '../../platform/extension.js';
import type { Tx } from '../../platform/postgres/database.js';

/**
 * Notes in the transaction what the payee delivered for a completed transfer, by the SHA-256 of it in hex. The same again changes nothing. 409
 * where the payee has named another hash.
 */
export type NoteDelivery = (ctx: Ctx, tx: Tx, transfer: Transfer, sha256: string) => Promise<void>;

export const deliveries = onePart<NoteDelivery>('what was delivered for transfers');
