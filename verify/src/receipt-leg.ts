// Receipts: what the platform has signed over a leaf, and over the key of its log.
import { hold, type Leg } from './broken.js';
import { compare, equal, fromBase64url } from './bytes.js';
import { isObject, type Json, listIn, member, textIn } from './json.js';
import { readStatement } from './jws.js';
import { type Paid, refundsIn } from './money-leg.js';
import { type Leaf, type Pack, sizeOf } from './pack.js';

/** The receipt is signed by the platform, and says what the leaf of the payment says. */
export function checkReceipt(pack: Pack, paid: Paid, jwks: Json | undefined): void {
  const leaf = leafOf('receipt', pack, member(pack.attached, 'receipt_jws'), { transferId: pack.transferId, jwks });
  hold('receipt', paid.money === undefined || leaf === paid.leaf, 'the receipt names another leaf than that of the payment');
  checkKeyStatement(pack, jwks);
}

/** The receipts of refunds are those of the refunds in the pack. */
export function checkRefundReceipts(pack: Pack, jwks: Json | undefined): void {
  const receipts = listIn(pack.attached, 'refund_receipts');
  const refunds = refundsIn(pack);
  hold('refund', receipts.length === 0 || receipts.length === refunds.length, 'the pack does not have a receipt for each refund');
  receipts.forEach((receipt, n) => {
    const transferId = textIn(refunds[n]?.parts.get('money'), 'transfer_id') ?? '';
    const leaf = leafOf('refund', pack, receipt, { transferId, jwks });
    hold('refund', leaf === refunds[n], 'the receipt of a refund names another leaf than that of the refund');
  });
}

/** The leaf that a receipt of a transfer is over. */
function leafOf(leg: Leg, { log, leaves }: Pack, jws: Json | undefined, { transferId, jwks }: { transferId: string; jwks: Json | undefined }): Leaf {
  const receipt = readStatement(jws, jwks ?? member(log, 'jwks'));
  hold(leg, typeof receipt !== 'string', `the receipt ${receipt as string}`);
  const { claims, type } = receipt;
  hold(leg, type === 'receipt+sd-jwt' && textIn(claims, '_sd_alg') === 'sha-256', 'the receipt is no receipt');
  hold(leg, textIn(claims, 'sub') === transferId, 'the receipt is of another transfer');
  const origins = [textIn(log, 'origin'), textIn(log, 'continues')];
  hold(leg, origins.includes(textIn(claims, 'origin') ?? ''), 'the receipt names another log');
  const place = sizeOf(member(claims, 'leaf_index'));
  const leaf = leaves.find(({ index }) => index === place);
  hold(leg, leaf !== undefined, 'the receipt names a leaf that is not in the pack');
  const digests = listIn(claims, '_sd').map((text) => fromBase64url(text) ?? new Uint8Array());
  const isSame = digests.length === leaf.written.length && [...digests].sort(compare).every((one, n) => equal(one, leaf.written[n] ?? one.slice(1)));
  hold(leg, isSame, 'the receipt has other digests than its leaf');
  return leaf;
}

/** The platform says that the key of the log is its own. */
function checkKeyStatement({ log }: Pack, jwks: Json | undefined): void {
  const statement = member(log, 'key_jws');
  if (statement === null) return;
  const said = readStatement(statement, jwks ?? member(log, 'jwks'));
  hold('receipt', typeof said !== 'string', `the statement of the key of the log ${said as string}`);
  const isOurs = textIn(said.claims, 'origin') === textIn(log, 'origin') && listIn(log, 'vkeys').includes(member(said.claims, 'vkey') ?? null);
  hold('receipt', isOurs && isObject(said.claims), 'the statement of the key is about another log or key');
}
