// What is attached to a pack: documents that the leaves have the hashes of, or that are signed over them (CONTRACT.md 25). Each is shown where
// the part is shown that names it.
import type { Transfer } from '../../generated/prisma/client.js';
import type { PartName } from '../../platform/audit-leaf.js';
import type { Ctx } from '../../platform/ctx.js';
import { parseId } from '../../platform/schema/id.js';
import type { LogAt } from './head.js';
import type { ProvenLeaf } from './leaf.js';
import { signedReceipt } from './receipt.js';
import { paymentSignature, type Role } from './transfer-leaf.sql.js';

/** Documents of a pack, by the names that they have in it. */
export interface Attached {
  /** The SD-JWT over the leaf of the payment. */
  receipt_jws: string;
  /** The PaymentPayload that the payer signed, in base64. */
  x402?: string;
  /** The JWT of the mandate, in the version that was presented. */
  mandate_jwt?: string;
  /** The receipts of the refunds that the pack shows. */
  refund_receipts?: string[];
}

/** A leaf with what it says of the payment. */
export type RoleLeaf = ProvenLeaf & { role: Role };

/** The documents beside the leaves of a payment. */
export async function attachedTo(
  ctx: Ctx,
  transfer: Transfer,
  at: Pick<LogAt, 'log'>,
  { receipt, leaves }: { receipt: string; leaves: readonly RoleLeaf[] },
): Promise<Attached> {
  const isShown = leaves.some((leaf) => partIn(leaf, 'authority') !== undefined);
  const signature = isShown ? await paymentSignature(ctx.platform.database.pool, ctx.workspace.id, transfer.id) : null;
  const mandate = await mandateJwt(ctx, leaves);
  const refunds = await refundReceipts(ctx, at, leaves);
  return {
    receipt_jws: receipt,
    ...(signature !== null && { x402: signature }),
    ...(mandate !== null && { mandate_jwt: mandate }),
    ...(refunds.length > 0 && { refund_receipts: refunds }),
  };
}

/** The statements of the platform among the documents. */
export function statementsIn({ receipt_jws: receipt, mandate_jwt: mandate, refund_receipts: refunds = [] }: Attached): string[] {
  return [receipt, ...(mandate === undefined ? [] : [mandate]), ...refunds];
}

/** The value of a part that the reader sees. */
function partIn({ disclosures }: ProvenLeaf, wanted: PartName): Record<string, unknown> | undefined {
  const found = disclosures.find(({ name }) => name === wanted);
  if (found === undefined) return undefined;
  const [, , value] = JSON.parse(Buffer.from(found.text, 'base64url').toString()) as [string, string, Record<string, unknown>];
  return value;
}

interface NamedMandate {
  id: string;
  version?: number;
}

async function mandateJwt({ db, platform }: Ctx, leaves: readonly RoleLeaf[]): Promise<string | null> {
  for (const leaf of leaves) {
    const named = partIn(leaf, 'authority')?.['mandate'] as NamedMandate | undefined;
    const mandateId = parseId('mandate', named?.id);
    if (mandateId === null || named?.version === undefined) continue;
    const found = await db.mandateVersion.findFirst({ where: { mandateId, version: named.version } });
    if (found?.sealedJwt != null) return platform.vault.open(found.sealedJwt, mandateId);
  }
  return null;
}

async function refundReceipts(ctx: Ctx, at: Pick<LogAt, 'log'>, leaves: readonly RoleLeaf[]): Promise<string[]> {
  const refunds = leaves.flatMap((leaf) => {
    const money = leaf.role === 'refund' ? partIn(leaf, 'money') : undefined;
    const id = parseId('transfer', money?.['transfer_id'] as string | undefined);
    // Of a refund that is held there is no receipt yet.
    return id === null || money?.['status'] !== 'completed' ? [] : [{ id, leaf }];
  });
  if (refunds.length === 0) return [];
  const rows = await ctx.db.transfer.findMany({ where: { id: { in: refunds.map(({ id }) => id) } } });
  const signed = refunds.flatMap(({ id, leaf }) => {
    const row = rows.find((one) => one.id === id);
    return row === undefined ? [] : [signedReceipt(ctx, row, at, leaf)];
  });
  return Promise.all(signed);
}
