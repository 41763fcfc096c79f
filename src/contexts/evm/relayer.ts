// The relayer of a chain: it carries signed authorizations in transactions, nonce after nonce, and pays more for one that stays out of the blocks
// (CONTRACT.md 27 "Transactions of a relayer"). It holds no money: what it sends twice is paid once, because the token pays an authorization once.
import type { Platform } from '../../platform/ctx.js';
import { depart } from '../rails/departure.js';
import { compareMemory } from '../rails/restored.js';
import type { ChainAddress } from '../x402/chain/address.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import { signatureParts, type Transaction } from './evm.js';
import type { Key } from './key.js';
import { findUse } from './late-reading.js';
import type { Fees, Nodes } from './nodes.js';
import { carriedOf } from './payer-payment.sql.js';
import { type ChainPaymentRow, leastValidity, noteRefusal, paymentOf, paymentOfNonce, uncarried } from './payment.sql.js';
import {
  emptyGas,
  formsOf,
  giveNonce,
  keepForm,
  lastNonce,
  minedBefore,
  noteDone,
  noteMined,
  noteSent,
  type OpenNonce,
  openNonces,
  type RelayerKey,
  relayerName,
  type SignedForm,
} from './relayer.sql.js';
import { balanceCall, readUint, refusalOf, transferByParts } from './token.js';
import type { View } from './watch.js';

/** Transactions of a relayer that are in no block yet, at most. */
const mostInFlight = 16;
/** A transaction that takes the place of another pays so much more, in thousandths. */
const raisedBy = 1_125n;

/** Somebody has our key: a nonce of ours is used by a transaction that we never signed. */
export class ForeignTransaction extends Error {}

interface Work {
  platform: Platform;
  chain: EvmChain;
  nodes: Nodes;
  key: Key;
  relayer: RelayerKey;
  head: Block;
  fees: Fees;
}

/** Tends what is under way, and carries what waits. Throws ForeignTransaction. */
export async function relay(platform: Platform, chain: EvmChain, key: Key, { head, deep }: View): Promise<void> {
  const nodes = await chain.nodes(platform);
  const relayer = { chainId: chain.chainId, address: key.address };
  const fees = await nodes.fees(head);
  const used = await nodes.nonce(key.address, head);
  if (fees.state === 'unknown' || used.state === 'unknown') return;
  const work: Work = { platform, chain, nodes, key, relayer, head, fees: fees.value };
  if (deep !== null) await noteDeep(work, deep);
  const open = await openNonces(platform.database.pool, relayer, { from: used.value });
  for (const one of open) await tend(work, one);
  const free = mostInFlight - open.length;
  if (free > 0) await carryWaiting(work, { firstNonce: used.value, most: free });
}

/** Notes which of our transactions are in deep blocks. A nonce that is used there by none of our forms was used by somebody else. */
async function noteDeep({ platform, nodes, relayer }: Work, deep: Block): Promise<void> {
  const { pool } = platform.database;
  const used = await nodes.nonce(relayer.address, deep);
  if (used.state === 'unknown') return;
  await checkGiven(platform, relayer, used.value);
  await noteDone(pool, relayer, used.value, platform.clock.now());
  for (const { nonce } of await openNonces(pool, relayer, { before: used.value })) {
    if (!(await noteOwn({ platform, nodes, relayer }, nonce, deep))) return;
  }
}

/**
 * Throws ForeignTransaction where the chain has used nonces that were never given here. A database that was put back has forgotten some: then the
 * rails are off for that, and the nonces of the memory are taken over.
 */
async function checkGiven(platform: Platform, relayer: RelayerKey, used: bigint): Promise<void> {
  const given = async () => (await lastNonce(platform.database.pool, relayerName(relayer))) + 1n;
  const isOther = async () => {
    const next = await given();
    // Before its first nonce here a key may have been used for anything.
    return next > 0n && used > next;
  };
  if (!(await isOther()) || (await compareMemory(platform)) || !(await isOther())) return;
  throw new ForeignTransaction(`${relayer.address} has used ${used} nonces, and ${await given()} were given here`);
}

/** False where nobody knows which of the forms it is. */
async function noteOwn(
  { platform, nodes, relayer }: Pick<Work, 'platform' | 'nodes' | 'relayer'>,
  nonce: bigint,
  deep: Block,
): Promise<boolean> {
  for (const hash of await formsOf(platform.database.pool, relayer, nonce)) {
    const receipt = await nodes.receipt(hash, deep);
    if (receipt.state === 'unknown') return false;
    if (receipt.value === null) continue;
    const { isReverted } = receipt.value;
    await noteMined(platform.database.pool, relayer, nonce, { hash, isReverted, at: platform.clock.now() });
    return true;
  }
  // After a restore the form that was sent may be lost. That its payment is done says that it was ours.
  const carried = await paymentOfNonce(platform.database.pool, relayer, nonce);
  if (carried?.state === 'done' && carried.txHash !== null) {
    await noteMined(platform.database.pool, relayer, nonce, { hash: carried.txHash, isReverted: false, at: platform.clock.now() });
    return true;
  }
  // Nodes that forget, or index late, have no receipt either: they have to show one of before.
  const witness = await minedBefore(platform.database.pool, relayer, nonce);
  const shown = witness === null ? null : await nodes.receipt(witness, deep);
  if (shown?.state !== 'known' || shown.value === null) {
    platform.log.warn(
      { relayer: relayer.address, nonce: nonce.toString() },
      'a nonce is used, and the nodes do not show by which transaction',
    );
    return false;
  }
  throw new ForeignTransaction(`nonce ${nonce} of ${relayer.address} is used by a transaction that was not signed here`);
}

/** Signs, sends, or raises what is in no block yet. */
async function tend(work: Work, one: OpenNonce): Promise<void> {
  const { platform, chain } = work;
  const { form } = one;
  const waitedMs = form?.sentAt == null ? 0 : platform.clock.now().getTime() - form.sentAt.getTime();
  const isStuck = waitedMs >= chain.setting.gas.bump_after_seconds * 1_000;
  if (form?.sentAt != null && !isStuck) return;
  const raised = form === null ? firstFees(work) : isStuck ? raise(work, form) : null;
  const what = `nonce ${one.nonce} of ${work.relayer.address}`;
  const next = async () => ({ value: null, facts: [] });
  await depart(platform, { rail: chain.rail, what }, next, async (_, signal) => {
    const sent = raised === null ? (form as SignedForm) : await sign(work, one, raised);
    await hand(work, sent, signal);
  });
}

interface Price {
  maxFee: bigint;
  tip: bigint;
}

/** Twice the base fee, so that it stays good while that rises for some blocks; at most what the file allows. */
function firstFees({ fees, chain }: Work): Price {
  const { max_fee_gwei: cap } = chain.setting.gas;
  const maxFee = least(2n * fees.baseFee + fees.tip, cap);
  return { maxFee, tip: least(fees.tip, maxFee) };
}

/** Fees that take the place of a form; null where the file allows no more: the same form is sent again. */
function raise(work: Work, { maxFee, tip }: SignedForm): Price | null {
  const { max_fee_gwei: cap } = work.chain.setting.gas;
  const [now, up] = [firstFees(work), (fee: bigint) => (fee * raisedBy) / 1_000n + 1n];
  const raised = most(up(maxFee), now.maxFee);
  return raised > cap ? null : { maxFee: raised, tip: least(most(up(tip), now.tip), raised) };
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);

/** Signs a form of a nonce, and keeps it. One whose payment needs no transaction any more only uses the nonce up. */
async function sign({ platform, chain, key, relayer }: Work, one: OpenNonce, { maxFee, tip }: Price): Promise<SignedForm> {
  const { pool } = platform.database;
  const payment = one.payment === null ? null : await paymentOf(pool, one.payment);
  const call = payment === null || !isCarried(platform, payment) ? null : callOf(payment);
  const transaction: Transaction = {
    chainId: chain.chainId,
    nonce: one.nonce,
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: tip,
    gasLimit: call === null ? emptyGas : one.gasLimit,
    to: call === null ? key.address : chain.token,
    value: 0n,
    data: call ?? '0x',
  };
  const form = { ...(await key.signTransaction(transaction)), maxFee, tip, createdAt: platform.clock.now() };
  await keepForm(pool, relayer, one.nonce, form);
  return { ...form, sentAt: null };
}

function isCarried({ clock }: Platform, { kind, state, validBefore }: ChainPaymentRow): boolean {
  return state === 'signed' && validBefore.getTime() - clock.now().getTime() > leastValidity[kind] * 1_000;
}

function callOf(payment: ChainPaymentRow) {
  const parts = payment.signature === null ? null : signatureParts(payment.signature);
  return parts === null ? null : transferByParts(authorizationOf(payment), parts);
}

/** The authorization of a payment, as the token reads it. */
export function authorizationOf({ authorizer, payee, value, validAfter, validBefore, nonce }: ChainPaymentRow) {
  return { from: authorizer, to: payee, value, validAfter, validBefore: BigInt(Math.floor(validBefore.getTime() / 1_000)), nonce };
}

/**
 * Hands a form to the nodes, unless signing it has taken so long that a switch to off would not wait for it. What they say decides nothing: it is
 * sent again until it is in a block.
 */
async function hand({ platform, chain, nodes }: Work, { raw, hash }: SignedForm, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { state, said } = await nodes.send(raw, hash);
  if (state === 'no_gas' || state === 'refused') platform.log.warn({ rail: chain.rail, hash, state, said }, 'nodes refuse a transaction');
  await noteSent(platform.database.pool, chain.chainId, hash, platform.clock.now());
}

/** Gives nonces to authorizations that wait, after a call has shown that the token would take each now. */
async function carryWaiting(work: Work, { firstNonce, most: free }: { firstNonce: bigint; most: number }): Promise<void> {
  const { platform, chain, relayer } = work;
  const waiting = await uncarried(platform.database.pool, chain.chainId, { at: platform.clock.now(), most: free });
  const tried = await Promise.all(waiting.map(async (payment) => ({ payment, gasLimit: await gasOf(work, payment) })));
  for (const { payment, gasLimit } of tried) {
    if (gasLimit === null || !(await isCovered(work, payment))) continue;
    const carries = { workspaceId: payment.workspaceId, id: payment.id, gasLimit };
    const at = platform.clock.now();
    const gone = await depart(
      platform,
      { rail: chain.rail, what: `payment ${payment.id}` },
      async (tx) => {
        const nonce = await giveNonce(tx, relayer, { firstNonce, carries, at });
        return { value: nonce, facts: [{ name: relayerName(relayer), number: nonce, value: payment.id }] };
      },
      async (nonce, signal) => hand(work, await sign(work, { nonce, payment: carries, gasLimit, form: null }, firstFees(work)), signal),
    );
    if ('stays' in gone) return;
  }
}

/** The gas that a payment takes, with a quarter on top; null where the token would refuse it now, which is noted, or nobody knows. */
async function gasOf({ platform, chain, nodes, key, head }: Work, payment: ChainPaymentRow): Promise<bigint | null> {
  const data = callOf(payment);
  if (data === null) return null;
  const call = { to: chain.token, data, from: key.address as ChainAddress };
  const tried = await nodes.call(head, call);
  if (tried.state === 'unknown') return null;
  if ('reverted' in tried.value) {
    const refusal = refusalOf(tried.value.reverted);
    await noteRefusal(platform.database.pool, payment, refusal);
    // It was used in a block that was read just before it was handed in.
    if (refusal === 'authorization_used') await findUse({ platform, chain, nodes }, payment, head);
    return null;
  }
  const gas = await nodes.gasOf(call);
  return gas.state === 'known' && 'gas' in gas.value ? (gas.value.gas * 5n) / 4n : null;
}

/**
 * Whether a payer outside has enough for a payment beside those that are carried already: each is good alone, and of several that one balance was
 * shown for all but the first would revert. One that has reverted counts until its time is over.
 */
async function isCovered({ platform, chain, nodes, head }: Work, payment: ChainPaymentRow): Promise<boolean> {
  const { pool } = platform.database;
  const carried = payment.kind === 'x402' ? await carriedOf(pool, payment) : 0n;
  if (carried === 0n) return true;
  const asked = await nodes.call(head, { to: chain.token, data: balanceCall(payment.authorizer) });
  const held = asked.state === 'known' && 'data' in asked.value ? readUint(asked.value.data) : null;
  if (held === null || held >= carried + payment.value) return held !== null;
  await noteRefusal(pool, payment, 'balance');
  return false;
}
