// A chain of the file, as x402 and MPP pay over it (CONTRACT.md 27 "x402 and MPP on a chain"). Whoever settles a payment hands the payer's
// authorization in and waits until a block has it; the process that has the keys carries it.
import { setTimeout as pause } from 'node:timers/promises';
import { loadTogether } from '../../platform/batch.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { refusalOf as admissionRefusalOf } from '../rails/admission.js';
import { configuredRail } from '../rails/configured-rails.js';
import { railUnavailable } from '../transfers/rail.js';
import type { Chain, ChainAnswer, ChainOrder, ChainRefusal } from '../x402/chain/chain.js';
import { walletOfDeposit } from '../x402/chain/deposit.js';
import type { ChainNetwork } from '../x402/chain/network.js';
import type { TransferAuthorization } from '../x402/chain/transfer-authorization.js';
import { addressFor } from './address.js';
import type { EvmChain } from './chain.js';
import { mostLagSeconds } from './check.js';
import { type Hex, signatureParts } from './evm.js';
import { formCarrying, handIn, wastesGas } from './payer-payment.sql.js';
import { type ChainPaymentRow, type PaymentKey, paymentOf } from './payment.sql.js';
import { answerOf } from './quorum.js';
import { authorizationStateCall, balanceCall, readFlag, readUint, refusalOf, transferByParts } from './token.js';
import { untilMoved } from './waiting.js';
import { lastSeen } from './watch.sql.js';
import { hurry } from './work.js';

/** Whoever settles waits so long for a block. */
const waitMs = 8_000;
const lookMs = 100;
/** A payer whose last three authorizations were good and reverted is refused for so long. */
const refusedSeconds = 3_600;
/** Seconds for which a payer is asked to sign: it may take some blocks, and some more after a reorganization. */
const timeoutSeconds = 300;
// Gap G-891: On a chain in production an authorization that is good for more than a day is refused: its payment would be open for so long.
const mostValiditySeconds = 86_400n;

/** The network that the file names, as x402 knows it. */
function networkOf({ rail, chainId, token, domain, setting }: EvmChain): ChainNetwork {
  const network = `eip155:${Number(chainId)}` as const;
  const { chain } = setting;
  return {
    network,
    nameV1: chain ?? network,
    chainId,
    currency: 'USDC',
    token: { address: token, name: domain.name, version: domain.version },
    rail,
    timeoutSeconds,
    decidesLater: true,
  };
}

/** The chain of a rail whose file says where wallets are paid. */
export function x402Chain(chain: EvmChain): Chain {
  const own = networkOf(chain);
  return {
    own,
    admit: (ctx) => admit(ctx, chain),
    faultOf: (ctx, authorization, signature) => faultOf(ctx, chain, own, authorization, signature),
    settle: (ctx, order) => settle(ctx, chain, order),
    confirmations: (ctx, id) => confirmations(ctx, chain, id),
    depositAddress: async ({ platform, workspace }, walletId) =>
      (await addressFor(platform, chain, { workspaceId: workspace.id, walletId }, platform.clock.now())).address,
  };
}

async function admit(ctx: Ctx, { rail }: EvmChain): Promise<void> {
  const configured = configuredRail(ctx, rail);
  const reason = configured === undefined ? 'not_configured' : await admissionRefusalOf(ctx, configured);
  if (reason !== null) throw await railUnavailable(ctx, rail, reason);
}

/** What the token says when it refuses, in the words of x402. */
const words: Readonly<Partial<Record<string, ChainRefusal>>> = {
  authorization_used: 'invalid_transaction_state',
  authorization_expired: 'invalid_exact_evm_payload_authorization_valid_before',
  expired: 'invalid_exact_evm_payload_authorization_valid_before',
  cancelled: 'invalid_transaction_state',
  invalid_signature: 'invalid_exact_evm_payload_signature',
  balance: 'insufficient_funds',
};

function wordOf(refusal: string | null): ChainRefusal {
  return words[refusal ?? 'expired'] ?? 'transaction_simulation_failed';
}

/** Asks the chain at its head: the nonce, the balance, and the call itself, which is only tried. Throws where nobody knows. */
async function faultOf(
  ctx: Ctx,
  chain: EvmChain,
  { network }: ChainNetwork,
  authorization: TransferAuthorization,
  signature: string,
): Promise<ChainRefusal | null> {
  const { from, to, nonce, value, validBefore } = authorization;
  const now = BigInt(Math.floor(ctx.platform.clock.now().getTime() / 1_000));
  if (validBefore > now + mostValiditySeconds) return 'invalid_exact_evm_payload_authorization_valid_before';
  if ((await walletOfDeposit(ctx, network, to)) === null) return 'invalid_payment_requirements';
  const since = addSeconds(ctx.platform.clock.now(), -refusedSeconds);
  if (await wastesGas(ctx.platform.database.pool, chain.chainId, from, since)) return 'payer_refused';
  const parts = signatureParts(signature);
  if (parts === null) return 'invalid_exact_evm_payload_signature';
  const nodes = await chain.nodes(ctx.platform);
  const head = answerOf(await nodes.head());
  // One node that is behind makes the head of two old: what the payer had then refuses nobody.
  if (now - head.timestamp > mostLagSeconds) throw new Error(`the newest block that the nodes agree on is ${now - head.timestamp} s old`);
  const asked = [authorizationStateCall(from, nonce), balanceCall(from), transferByParts(authorization, parts)];
  const [used, balance, tried] = answerOf(
    await nodes.calls(
      head,
      asked.map((data) => ({ to: chain.token, data })),
    ),
  );
  if (used !== undefined && 'data' in used && readFlag(used.data) === true) return 'invalid_transaction_state';
  const held = balance !== undefined && 'data' in balance ? readUint(balance.data) : null;
  if (held !== null && held < value) return 'insufficient_funds';
  return tried !== undefined && 'reverted' in tried ? wordOf(refusalOf(tried.reverted)) : null;
}

/** Hands an authorization in, and waits for the block that has it; one that was handed in before is answered as it stands. */
async function settle(ctx: Ctx, chain: EvmChain, { paymentId, authorization, signature }: ChainOrder): Promise<ChainAnswer> {
  const { pool } = ctx.platform.database;
  const key = { workspaceId: ctx.workspace.id, id: paymentId };
  const known = await paymentOf(pool, key);
  if (known !== null) return standing(ctx, known);
  const { from: authorizer, to: payee, nonce, value, validAfter, validBefore } = authorization;
  const isIn = await handIn(pool, {
    ...key,
    rail: chain.rail,
    chainId: chain.chainId,
    authorizer,
    nonce,
    payee,
    value,
    validAfter,
    validBefore: new Date(Number(validBefore) * 1_000),
    signature: signature.toLowerCase() as Hex,
    at: ctx.platform.clock.now(),
  });
  if (!isIn) return { state: 'refused', reason: 'invalid_transaction_state' };
  hurry(ctx.platform);
  return waitFor(ctx, chain, key);
}

async function waitFor(ctx: Ctx, chain: EvmChain, key: PaymentKey): Promise<ChainAnswer> {
  const { pool } = ctx.platform.database;
  const end = performance.now() + waitMs;
  for (;;) {
    const moved = await untilMoved(pool, key, end - performance.now());
    const row = moved ?? (await paymentOf(pool, key));
    const answer: ChainAnswer = row === null ? { state: 'pending', txHash: null } : await standing(ctx, row);
    if (answer.state !== 'pending' || moved === null || performance.now() >= end) return answer;
    // What is too much to be answered before its block is deep takes longer than anybody waits.
    if (moved.value > chain.setting.answer_limit.per_payment) return answer;
    await pause(lookMs);
  }
}

async function standing(ctx: Ctx, row: ChainPaymentRow): Promise<ChainAnswer> {
  const { pool } = ctx.platform.database;
  switch (row.state) {
    case 'open':
    case 'signed':
      return { state: 'pending', txHash: await formCarrying(pool, row) };
    case 'used':
      return row.answeredAt === null ? { state: 'pending', txHash: row.txHash } : { state: 'settled', txHash: row.txHash ?? '' };
    case 'done':
      return { state: 'done', txHash: row.txHash ?? '' };
    case 'lapsed':
      return { state: 'refused', reason: row.answeredAt === null ? wordOf(row.refusal) : 'reorged' };
  }
}

async function confirmations(ctx: Ctx, { chainId, rail }: EvmChain, paymentId: string): Promise<number | null> {
  const row = await loadTogether(ctx, `confirmations on ${rail}`, paymentId, async (ids) => {
    const rows = await ctx.db.chainPayment.findMany({ where: { id: { in: [...ids] } }, select: { id: true, blockNumber: true } });
    return new Map(rows.map((each) => [each.id, each]));
  });
  if (row?.blockNumber == null) return null;
  const last = await lastSeen(ctx.platform.database.pool, chainId);
  return last === null ? null : Number(last.number - row.blockNumber) + 1;
}
