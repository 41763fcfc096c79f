// The GraphQL face of what is asked of transfers: making, capturing and cancelling one, and test money.
import type { Approval, Transfer as TransferRow } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, Forbidden, NotFound, StateConflict, TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { WalletFrozen } from '../accounts/errors.js';
import { awaitedApproval } from '../spending/approval/approval.js';
import { pendingApproval } from '../spending/approval/approval.schema.js';
import { mandateErrors, QuoteUsed } from '../spending/errors.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { asMade, isRemade } from './as-made.js';
import { HoldExpired, SameWallet } from './errors.js';
import { fundWallet } from './funding.js';
import { cancelTransfer, captureTransfer } from './hold.js';
import { QuoteExpired } from './quote.js';
import { RailLimitExceeded, RailUnavailable, UnsupportedRail } from './rail.js';
import { rest } from './rest.js';
import {
  CancelTransferInput,
  CaptureTransferInput,
  CreateTransferInput,
  FundWalletInput,
  MoveWithinWalletInput,
} from './transfer.input.js';
import { Transfer } from './transfer.schema.js';
import { transfer } from './transfer-list.js';
import { createTransfer, moveWithinWallet } from './transfer-request.js';

/** What a request for a transfer may be refused with before the ledger is asked. */
export const requestErrors = [
  NotFound,
  SameWallet,
  CurrencyMismatch,
  QuoteExpired,
  QuoteUsed,
  UnsupportedRail,
  RailUnavailable,
  RailLimitExceeded,
  ...mandateErrors,
] as const;

/** A transfer that a spend made, and the approval that it waits for. */
interface TransferPayload {
  transfer: TransferRow;
  approval: Approval | null;
}
const TransferPayloadType = builder.objectRef<TransferPayload>('TransferPayload').implement({
  description: 'A transfer, and the approval that it waits for, if any.',
  fields: (t) => ({
    transfer: t.field({ type: Transfer, description: 'The transfer as it was created.', resolve: ({ transfer: row }) => row }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function transferPayload(ctx: Ctx, id: string): Promise<TransferPayload> {
  const made = await transfer(ctx, id);
  return { transfer: asMade(made), approval: await awaitedApproval(ctx, made.approvalId) };
}

const transferAsMade = async (ctx: Ctx, id: string): Promise<TransferRow> => asMade(await transfer(ctx, id));

// A transfer has no relations, so its mutations need no selection of rows: a plain field is the faster way.
builder.mutationFields((t) => ({
  createTransfer: t.field({
    route: rest(
      'POST /v1/transfers',
      'Move money from one wallet to another, to another currency or out of the platform. The spend pipeline checks limits, mandate and balance, and a refusal (403 or 422) leaves nothing behind. It is `completed` at once, or `pending` where it is held, scheduled or waits for an approval (202). Emits `transfer.created`, and `transfer.completed` when it has paid.',
      { status: 201, body: 'transfer', accepted: 'approval' },
    ),
    type: TransferPayloadType,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { input: t.arg({ type: CreateTransferInput }) },
    ...facts({ errors: [...requestErrors, ...postingErrors] }),
    resolve: once(
      (ctx, { input }) => createTransfer(ctx, input),
      transferPayload,
      (made) => isRemade(made.transfer),
    ),
  }),
  captureTransfer: t.field({
    route: rest(
      'POST /v1/transfers/{id}/capture',
      'Capture a manual hold, all of it or a part; the rest goes back to the payer. The transfer must be `pending`, and only the side named by `capture_by` may capture, else 403. An expired hold is 409 `hold_expired`. Emits `transfer.completed`.',
    ),
    type: Transfer,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: CaptureTransferInput }) },
    ...facts({ errors: [NotFound, Forbidden, StateConflict, HoldExpired, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => captureTransfer(ctx, id, input.amount ?? null), transfer),
  }),
  cancelTransfer: t.field({
    route: rest(
      'POST /v1/transfers/{id}/cancel',
      'Cancel a pending transfer; what was held goes back to the payer. An approval that it waits for is cancelled too. A transfer that is no longer pending is 409, and the agent that pays may not cancel a hold that the payee captures (403).',
    ),
    type: Transfer,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: CancelTransferInput }) },
    ...facts({ errors: [NotFound, Forbidden, StateConflict] }),
    resolve: once((ctx, { id, input }) => cancelTransfer(ctx, id, input.reason ?? null), transfer),
  }),
  fundWallet: t.field({
    route: rest(
      'POST /v1/wallets/{id}/fund',
      'Put test money into a wallet. Sandbox only: in production it is 403 `test_mode_only`. The money comes from the `world` account and uses no limit.',
      { status: 201 },
    ),
    type: Transfer,
    authScopes: { audience: 'operator', scope: 'wallets:write' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FundWalletInput }) },
    ...facts({ errors: [NotFound, CurrencyMismatch, TestModeOnly, WalletFrozen] }),
    resolve: once((ctx, { id, input }) => fundWallet(ctx, { ...input, id }), transferAsMade, isRemade),
  }),
  wrapWallet: t.field({
    route: rest(
      'POST /v1/wallets/{id}/wrap',
      'Move money of a wallet from `available` to `wrapped`, from where it can be streamed. It is instant and uses no limit; more than is available is 422 `insufficient_balance`.',
      { status: 201 },
    ),
    type: Transfer,
    authScopes: { audience: 'any', scope: 'wallets:write' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: MoveWithinWalletInput }) },
    ...facts({ errors: [NotFound, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => moveWithinWallet(ctx, { ...input, id, type: 'wrap' }), transferAsMade, isRemade),
  }),
  unwrapWallet: t.field({
    route: rest(
      'POST /v1/wallets/{id}/unwrap',
      'Move money of a wallet from `wrapped` back to `available`, so that it can be spent. It is instant and uses no limit; more than is wrapped is 422 `insufficient_balance`.',
      { status: 201 },
    ),
    type: Transfer,
    authScopes: { audience: 'any', scope: 'wallets:write' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: MoveWithinWalletInput }) },
    ...facts({ errors: [NotFound, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => moveWithinWallet(ctx, { ...input, id, type: 'unwrap' }), transferAsMade, isRemade),
  }),
}));
