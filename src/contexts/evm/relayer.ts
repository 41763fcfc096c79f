// The relayer of a chain: it carries signed authorizations in transactions, nonce after nonce, and pays more for one that stays out of the blocks
// (CONTRACT.md 27 "Transactions of a relayer"). It holds no money: what it sends twice is paid once, because the token pays an authorization once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Platform } from '../../platform/ctx.js';
import { depart } from '../rails/departure.js';
import { compareMemory } from '../rails/restored.js';
import { type Asking, callOf, carriable } from './carriable.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import type { Transaction } from './evm.js';
import type { Key } from './key.js';
import type { Fees, Nodes } from './nodes.js';
import { type ChainPaymentRow, leastValidity, paymentOf, paymentOfNonce, uncarried } from './payment.sql.js';
import {
  emptyGas,
  formsOf,
  giveNonces,
  keepForms,
  lastNonce,
  minedBefore,
  type NewForm,
  noteDone,
  noteMined,
  noteSent,
  type OpenNonce,
  openNonces,
  type RelayerKey,
  relayerName,
  type SignedForm,
} from './relayer.sql.js';
import type { View } from './watch.js';

/** Transactions of a relayer that are in no block yet, at most. */
const mostInFlight = 16;
/** A transaction that takes the place of another pays so much more, in thousandths. */
const raisedBy = 1_125n;

/** Somebody has our key: a nonce of ours is used by a transaction that we never signed. */
export class ForeignTransaction extends Error {}

interface Work extends Asking {
  relayer: RelayerKey;
  fees: Fees;
}

/** Tends what is under way, and carries what waits. Throws ForeignTransaction. */
export async function relay(platform: Platform, chain: EvmChain, key: Key, { head, deep, isNew }: View): Promise<void> {
  const nodes = await chain.nodes(platform);
  const relayer = { chainId: chain.chainId, address: key.address };
  const standing = await standingAt(nodes, key, head);
  if (standing === null) return;
  const { fees, used } = standing;
  const work: Work = { platform, chain, nodes, key, relayer, head, fees };
  if (deep !== null && isNew) await noteDeep(work, deep);
  const open = await openNonces(platform.database.pool, relayer, { from: used });
  for (const one of open) await orGoOn(work, one, tend(work, one));
  const free = mostInFlight - open.length;
  if (free > 0) await carryWaiting(work, { firstNonce: used, most: free });
}

/** Fees, and the first nonce that is not used: what a head says does not change. */
interface Standing {
  fees: Fees;
  used: bigint;
}
const standings = new WeakMap<Block, Map<Key, Standing>>();

/** How a key stands after a head; null where nobody knows. */
async function standingAt(nodes: Nodes, key: Key, head: Block): Promise<Standing | null> {
  const known = standings.get(head) ?? new Map<Key, Standing>();
  standings.set(head, known);
  const before = known.get(key);
  if (before !== undefined) return before;
  const [fees, used] = await Promise.all([nodes.fees(head), nodes.nonce(key.address, head)]);
  if (fees.state === 'unknown' || used.state === 'unknown') return null;
  const standing = { fees: fees.value, used: used.value };
  known.set(key, standing);
  return standing;
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

/** One nonce that cannot be tended, such as one that a remote signer refuses, keeps no other from it. */
async function orGoOn({ platform, chain, relayer }: Work, { nonce }: OpenNonce, tending: Promise<void>): Promise<void> {
  return tending.catch((error: unknown) => {
    const what = { err: error, rail: chain.rail, relayer: relayer.address, nonce: nonce.toString() };
    platform.log.error(what, 'a nonce of a relayer could not be signed or sent: those behind it are in no block before it is');
  });
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
    const sent = raised === null ? [form as SignedForm] : await sign(work, [one], raised);
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

/** What a nonce is for. */
type Purpose = Pick<OpenNonce, 'nonce' | 'payment' | 'gasLimit'>;

/** Signs a form of each nonce, and keeps them. */
async function sign(work: Work, all: readonly Purpose[], price: Price): Promise<NewForm[]> {
  const forms: NewForm[] = [];
  for (const one of all) {
    forms.push(await signOne(work, one, price));
    // A signature takes a millisecond or more, in which nothing else of this process happens.
    await nextTurn();
  }
  await keepForms(work.platform.database.pool, work.relayer, forms);
  return forms;
}

/** One whose payment needs no transaction any more only uses the nonce up. */
async function signOne({ platform, chain, key }: Work, one: Purpose, { maxFee, tip }: Price): Promise<NewForm> {
  const payment = one.payment === null ? null : await paymentOf(platform.database.pool, one.payment);
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
  return { ...(await key.signTransaction(transaction)), nonce: one.nonce, maxFee, tip, createdAt: platform.clock.now() };
}

function isCarried({ clock }: Platform, { kind, state, validBefore }: ChainPaymentRow): boolean {
  return state === 'signed' && validBefore.getTime() - clock.now().getTime() > leastValidity[kind] * 1_000;
}

/**
 * Hands forms to the nodes, unless signing them has taken so long that a switch to off would not wait for them. What they say decides nothing: a
 * form is sent again until its nonce is in a block.
 */
async function hand({ platform, chain, nodes }: Work, forms: readonly Pick<SignedForm, 'raw' | 'hash'>[], signal: AbortSignal) {
  if (signal.aborted) return;
  const answers = await nodes.send(forms);
  for (const [at, { state, said }] of answers.entries()) {
    const hash = forms[at]?.hash;
    if (state === 'no_gas' || state === 'refused') platform.log.warn({ rail: chain.rail, hash, state, said }, 'nodes refuse a transaction');
  }
  const hashes = forms.map(({ hash }) => hash);
  await noteSent(platform.database.pool, chain.chainId, hashes, platform.clock.now());
}

/** Gives nonces to authorizations that wait, after a call has shown that the token would take each now. They leave together. */
async function carryWaiting(work: Work, { firstNonce, most: free }: { firstNonce: bigint; most: number }): Promise<void> {
  const { platform, chain, relayer } = work;
  const at = platform.clock.now();
  const waiting = await uncarried(platform.database.pool, chain.chainId, { at, most: free });
  const carried = await carriable(work, waiting);
  const last = carried.at(-1);
  if (last === undefined) return;
  await depart(
    platform,
    { rail: chain.rail, what: carried.map(({ id }) => `payment ${id}`).join(', ') },
    async (tx) => {
      const nonces = await giveNonces(tx, relayer, { firstNonce, carried, at });
      const given = carried.map((payment, place) => ({ nonce: nonces[place] as bigint, payment, gasLimit: payment.gasLimit }));
      return { value: given, facts: [{ name: relayerName(relayer), number: nonces.at(-1) as bigint, value: last.id }] };
    },
    async (given, signal) => hand(work, await sign(work, given, firstFees(work)), signal),
  );
}
