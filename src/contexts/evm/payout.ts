// Payouts over a chain: each is an authorization of the treasury, whose nonce follows from the payout, so the token pays it once whoever sends
// what how often (decision 0098). A relayer carries it; the watch says what became of it.
import type { ConnectorOrder } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { confirmOrder, countOrder, dayOf, rejectOrder, settleOrder, waitOrder } from '../rails/connector-order.js';
import { depart, type Stay } from '../rails/departure.js';
import type { ConfiguredRail } from '../rails/rail-kind.js';
import { reasonOfCode } from '../settlement/rail/rail-code.js';
import { type ChainAddress, parseAddress } from '../x402/chain/address.js';
import { isKnown } from './address.sql.js';
import { authorizationOf } from './carriable.js';
import type { EvmChain } from './chain.js';
import { payoutNonce, readAddress } from './evm.js';
import type { Key } from './key.js';
import { type ChainPaymentRow, insertPayment, paymentOf, signPayment } from './payment.sql.js';
import { treasuriesOf } from './proof.sql.js';

/** Nothing may leave now: the order is looked at again after so many seconds. */
const staysSeconds = 15;
/** The watch wakes an order that something became of; without it, it is looked at again after so many seconds. */
const lookSeconds = 60;

/** Throws 400 for what is no address that a payout goes to. `ours`: those that the file names; a treasury of before is the platform's too. */
export async function checkDestination(
  { platform }: Ctx,
  { chainId, token }: EvmChain,
  ours: readonly ChainAddress[],
  destination: Readonly<Record<string, string>>,
): Promise<void> {
  const read = readAddress(destination['address'] ?? '');
  const problem = 'problem' in read ? read.problem : await problemOf(read.address);
  if (problem !== null) throw new ValidationFailed([{ path: ['destination', 'ref'], message: problem, rule: 'address' }]);

  async function problemOf(address: ChainAddress): Promise<string | null> {
    if (address === token) return 'is the contract of the token itself: what is sent there is lost';
    const { pool } = platform.database;
    const treasuries = await treasuriesOf(pool, chainId);
    if (ours.includes(address) || treasuries.some((one) => one.address === address)) return 'is an address of the platform itself';
    const isOfWallet = await isKnown(pool, chainId, address);
    return isOfWallet ? 'is the address of a wallet here: send it a transfer, which is there at once and costs no gas' : null;
  }
}

/** Takes the next step with a payout. */
export async function stepPayout(ctx: Ctx, chain: EvmChain, rail: ConfiguredRail, order: ConnectorOrder): Promise<void> {
  const payment = await paymentOf(ctx.platform.database.pool, order);
  const { treasury } = await chain.signers(ctx.platform);
  const at = ctx.clock.now();
  // One that a treasury of before was to sign is signed no more. It may have been signed, so its time has to be over first.
  if (payment?.state === 'open' && payment.authorizer !== treasury.address) return waitOrder(ctx, order, addSeconds(at, lookSeconds));
  if (payment === null || payment.state === 'open') return authorize(ctx, { chain, treasury }, rail, order);
  switch (payment.state) {
    case 'signed':
      return waitOrder(ctx, order, addSeconds(at, lookSeconds));
    case 'used':
      return confirmOrder(ctx, order, { expected: addSeconds(at, rail.expectedSeconds), dueAt: addSeconds(at, lookSeconds) });
    case 'done':
      return settleOrder(ctx, order, (tx) => bookLine(ctx, tx, order, payment));
    case 'lapsed':
      return rejectOrder(ctx, order, reasonOf(payment));
  }
}

/** Writes the authorization, counts the order in its day, and has it signed. */
async function authorize(
  ctx: Ctx,
  { chain, treasury }: { chain: EvmChain; treasury: Key },
  rail: ConfiguredRail,
  order: ConnectorOrder,
): Promise<void> {
  const { platform } = ctx;
  const at = ctx.clock.now();
  let isFull = false;
  const gone = await depart(
    platform,
    { rail: rail.name, what: `order ${order.id}` },
    async (tx) => {
      isFull = !(await countOrder(tx, rail, order, at));
      if (isFull) return null;
      await insertPayment(tx, {
        workspaceId: order.workspaceId,
        id: order.id,
        kind: 'payout',
        rail: rail.name,
        chainId: chain.chainId,
        authorizer: treasury.address,
        nonce: payoutNonce(order.workspaceId, order.id),
        payee: payeeOf(ctx, order),
        value: order.amount,
        validBefore: wholeSeconds(addSeconds(at, chain.setting.payout_seconds)),
        at,
      });
      return { value: null, facts: [] };
    },
    async (_, signal) => {
      const payment = (await paymentOf(platform.database.pool, order)) as ChainPaymentRow;
      if (payment.state !== 'open' || signal.aborted) return;
      await signPayment(platform.database.pool, payment, await treasury.signAuthorization(chain.domain, authorizationOf(payment)));
    },
  );
  if ('sent' in gone) return waitOrder(ctx, order, addSeconds(at, lookSeconds));
  await waitLonger(ctx, rail, order, isFull ? 'full' : gone.stays);
}

/** On a day that is full it waits for the next one. */
async function waitLonger(ctx: Ctx, rail: ConfiguredRail, order: ConnectorOrder, why: Stay | 'full'): Promise<void> {
  const at = ctx.clock.now();
  if (why !== 'full') return waitOrder(ctx, order, addSeconds(at, staysSeconds));
  const tomorrow = addSeconds(dayOf(at), 86_400);
  return waitOrder(ctx, order, tomorrow, addSeconds(tomorrow, rail.expectedSeconds));
}

function wholeSeconds(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1_000) * 1_000);
}

function payeeOf(ctx: Ctx, { id, sealedDestination }: ConnectorOrder): `0x${string}` {
  const { address = '' } = JSON.parse(ctx.platform.vault.open(sealedDestination, id)) as { address?: string };
  const payee = parseAddress(address);
  if (payee === null) throw new Error('an order that was accepted has no address');
  return payee;
}

/** What the chain has booked is a line of the rail's statement, once: its amount is that of the log. */
async function bookLine(
  ctx: Ctx,
  tx: Tx,
  { rail, reference, currency }: ConnectorOrder,
  { value, txHash }: ChainPaymentRow,
): Promise<void> {
  const bookedAt = ctx.clock.now();
  const line = { rail, reference, amount: value, currency, direction: 'debit', description: `payment ${txHash}` } as const;
  const known = await tx.railStatement.findFirst({ where: { rail, reference, direction: 'debit' }, select: { id: true } });
  if (known === null) await tx.railStatement.create({ data: { ...line, id: newId(bookedAt), bookedAt } });
}

/** Why the money goes back: what the token last said, or that its time was over. */
function reasonOf({ refusal }: ChainPaymentRow) {
  const said = refusal === null || refusal === 'authorization_expired' || refusal === 'authorization_used' ? 'expired' : refusal;
  const code = said === 'balance' ? 'treasury_short' : said;
  return { code, reason: reasonOfCode(code) };
}
