// Which authorizations a relayer carries now: those that the token would take, from payers whose balance covers them.
import type { Platform } from '../../platform/ctx.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import { signatureParts } from './evm.js';
import type { Key } from './key.js';
import { findUse } from './late-reading.js';
import type { Nodes } from './nodes.js';
import { carriedOf } from './payer-payment.sql.js';
import { type ChainPaymentRow, noteRefusal } from './payment.sql.js';
import type { Carried } from './relayer.sql.js';
import { balanceCall, readUint, refusalOf, transferByParts } from './token.js';

/** Who would carry, and after which block. */
export interface Asking {
  platform: Platform;
  chain: EvmChain;
  nodes: Nodes;
  key: Key;
  head: Block;
}

/** The data of the transaction that carries a payment; null for one that is not signed. */
export function callOf(payment: ChainPaymentRow) {
  const parts = payment.signature === null ? null : signatureParts(payment.signature);
  return parts === null ? null : transferByParts(authorizationOf(payment), parts);
}

/** The authorization of a payment, as the token reads it. */
export function authorizationOf({ authorizer, payee, value, validAfter, validBefore, nonce }: ChainPaymentRow) {
  return { from: authorizer, to: payee, value, validAfter, validBefore: BigInt(Math.floor(validBefore.getTime() / 1_000)), nonce };
}

/** Those of these payments that the token would take now, with the gas that each takes, and a quarter on top. */
export async function carriable(work: Asking, waiting: readonly ChainPaymentRow[]): Promise<Carried[]> {
  const { chain, nodes, key } = work;
  const isTaken = await Promise.all(waiting.map((payment) => wouldTake(work, payment)));
  const taken = await coveredAmong(
    work,
    waiting.filter((_, at) => isTaken[at]),
  );
  if (taken.length === 0) return [];
  const gas = await nodes.gasOf(taken.map((payment) => ({ to: chain.token, data: callOf(payment) ?? '0x', from: key.address })));
  return taken.flatMap(({ workspaceId, id }, at) => {
    const each = gas[at];
    return each !== null && each !== undefined && 'gas' in each ? [{ workspaceId, id, gasLimit: (each.gas * 5n) / 4n }] : [];
  });
}

/** False where the token would refuse a payment now, which is noted, or nobody knows. */
async function wouldTake({ platform, chain, nodes, key, head }: Asking, payment: ChainPaymentRow): Promise<boolean> {
  const data = callOf(payment);
  if (data === null) return false;
  const tried = await nodes.call(head, { to: chain.token, data, from: key.address });
  if (tried.state === 'unknown') return false;
  if (!('reverted' in tried.value)) return true;
  const refusal = refusalOf(tried.value.reverted);
  await noteRefusal(platform.database.pool, payment, refusal);
  // It was used in a block that was read just before it was handed in.
  if (refusal === 'authorization_used') await findUse({ platform, chain, nodes }, payment, head);
  return false;
}

/**
 * Those of these payments that their payers have enough for beside what is carried for them already: each is good alone, and of several that one balance
 * was shown for all but the first would revert. One that has reverted counts until its time is over.
 */
async function coveredAmong(work: Asking, payments: readonly ChainPaymentRow[]): Promise<ChainPaymentRow[]> {
  const covered: ChainPaymentRow[] = [];
  for (const payment of payments) {
    const beside = covered.filter(({ authorizer }) => authorizer === payment.authorizer).reduce((sum, { value }) => sum + value, 0n);
    if (payment.kind !== 'x402' || (await isCovered(work, payment, beside))) covered.push(payment);
  }
  return covered;
}

/** Whether the balance of a payer outside covers a payment, what is carried for him already, and `beside`. */
async function isCovered({ platform, chain, nodes, head }: Asking, payment: ChainPaymentRow, beside: bigint): Promise<boolean> {
  const { pool } = platform.database;
  const carried = beside + (await carriedOf(pool, payment));
  if (carried === 0n) return true;
  const asked = await nodes.call(head, { to: chain.token, data: balanceCall(payment.authorizer) });
  const held = asked.state === 'known' && 'data' in asked.value ? readUint(asked.value.data) : null;
  if (held === null || held >= carried + payment.value) return held !== null;
  await noteRefusal(pool, payment, 'balance');
  return false;
}
