// More than is left of what was paid: each request is told what it can do about it, ready to send (CONTRACT.md 13).
import type { RefundReason, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { NextAction } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import type { CreateDisputeInput } from './dispute.input.js';
import { RefundExceedsOriginal } from './errors.js';

/** More than is left: what is can be refunded. */
export function tooMuchRefunded({ id, currency }: Transfer, rest: bigint, reason: RefundReason): RefundExceedsOriginal {
  const body = { original_transfer_id: id, amount: formatMinor(rest, currency), reason };
  const action: NextAction = { rel: 'refund_rest', actor: 'any', method: 'POST', path: '/v1/refunds', body };
  return new RefundExceedsOriginal(rest, currency, rest > 0n ? action : undefined);
}

/** More than is left: what is can be disputed. */
export function tooMuchDisputed({ platform }: Ctx, input: CreateDisputeInput, rest: bigint, currency: string): RefundExceedsOriginal {
  const body = platform.printInput('CreateDisputeInput', { ...input, amountDisputed: formatMinor(rest, currency) });
  const action: NextAction = { rel: 'dispute_rest', actor: 'any', method: 'POST', path: '/v1/disputes', body };
  return new RefundExceedsOriginal(rest, currency, rest > 0n ? action : undefined);
}

/** More than is left: what is goes back, or the dispute ends without a refund. */
export function tooMuchResolved(id: string, rest: bigint, currency: string): RefundExceedsOriginal {
  const [rel, resolution] = rest > 0n ? (['refund_rest', 'refund_full'] as const) : (['end', 'rejected'] as const);
  const path = `/v1/disputes/${printId('dispute', id)}/resolve`;
  return new RefundExceedsOriginal(rest, currency, { rel, actor: 'api_key', method: 'POST', path, body: { resolution } });
}
