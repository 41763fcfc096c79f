// The chain of the sandbox: a token contract in PostgreSQL, one for each workspace (CONTRACT.md 9). It keeps books of its own, as a chain
// would, and knows of the platform what an authorization says.
import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Connection } from '../../../platform/connection.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { newId } from '../../../platform/schema/id.js';
import type { ChainAddress } from './address.js';
import type { Chain, ChainAnswer, ChainOrder } from './chain.js';
import { creditBalance, debitBalance, useAuthorization } from './chain.sql.js';
import { walletOfDeposit } from './deposit.js';
import { type ChainNetwork, simulatedNetwork } from './network.js';
import type { TransferAuthorization } from './transfer-authorization.js';

/** Thrown inside the transaction of a transfer, to roll it back. */
class Refused extends Error {
  readonly reason: 'insufficient_funds' | 'nonce_used';

  constructor(reason: 'insufficient_funds' | 'nonce_used') {
    super(reason);
    this.reason = reason;
  }
}

/** The chain that the sandbox has for a network. */
function simulated(own: ChainNetwork): Chain {
  const { network } = own;
  return {
    own,
    admit: async () => {},
    faultOf: async ({ db }, { from, nonce, value }) => {
      const used = await db.chainAuthorization.findFirst({ where: { network, payer: from, nonce }, select: { nonce: true } });
      if (used !== null) return 'invalid_transaction_state';
      const held = await db.chainBalance.findFirst({ where: { network, address: from } });
      return (held?.balance ?? 0n) < value ? 'insufficient_funds' : null;
    },
    settle: (ctx, order) => settle(ctx, own, order),
    confirmations: async () => null,
    depositAddress: async ({ workspace }, walletId) => addressOf(`${workspace.id}:${walletId}`),
  };
}

/** An address that nobody has the key of. */
function addressOf(text: string): ChainAddress {
  return `0x${Buffer.from(keccak_256(Buffer.from(text)).subarray(12)).toString('hex')}`;
}

/** Carries an authorization out while it is good, and says what came of one that was used: by us, or by its owner for something else. */
async function settle(ctx: Ctx, own: ChainNetwork, { authorization }: ChainOrder): Promise<ChainAnswer> {
  const { from: payer, nonce, to, value, validBefore } = authorization;
  const isGood = validBefore > BigInt(Math.floor(ctx.platform.clock.now().getTime() / 1_000));
  const answer = isGood ? await transfer(ctx, own, authorization) : null;
  if (answer !== null) return answer;
  const used = await ctx.db.chainAuthorization.findFirst({ where: { network: own.network, payer, nonce } });
  if (used === null) return { state: 'refused', reason: 'invalid_exact_evm_payload_authorization_valid_before' };
  if (used.payee === to && used.value === value) return { state: 'done', txHash: used.txHash };
  return { state: 'refused', reason: 'invalid_transaction_state' };
}

/** Null where the nonce was used before. */
async function transfer(ctx: Ctx, own: ChainNetwork, authorization: TransferAuthorization): Promise<ChainAnswer | null> {
  const { from, to, nonce, value } = authorization;
  const txHash = `0x${createHash('sha256').update(`${ctx.workspace.id}:${own.network}:${from}:${nonce}`).digest('hex')}`;
  try {
    await ctx.db.$transaction(async (tx) => {
      if (!(await useAuthorization(ctx, tx, { network: own.network, payer: from, nonce, payee: to, value, txHash })))
        throw new Refused('nonce_used');
      if (!(await debitBalance(ctx, tx, own.network, from, value))) throw new Refused('insufficient_funds');
      await creditBalance(ctx, tx, own.network, to, value);
      await bookArrival(ctx, tx, own, { to, value, txHash });
    });
    return { state: 'done', txHash };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.reason === 'nonce_used' ? null : { state: 'refused', reason: error.reason };
  }
}

/** What reaches a wallet stands on the statement of the rail, as whoever watches the chain would report it. */
async function bookArrival(
  ctx: Ctx,
  tx: Tx,
  { network, rail, currency }: ChainNetwork,
  arrival: { to: ChainAddress; value: bigint; txHash: string },
) {
  if ((await walletOfDeposit(ctx, network, arrival.to)) === null) return;
  const at = ctx.clock.now();
  const { value: amount, txHash: reference } = arrival;
  const line = { id: newId(at), rail, reference, amount, currency, direction: 'credit', description: 'x402', bookedAt: at } as const;
  await tx.railStatement.create({ data: line });
}

/** The simulated chain, which every sandbox has. */
export const simulatedChains: readonly Connection<Chain>[] = [
  { environment: 'test', name: simulatedNetwork.network, provider: simulated(simulatedNetwork) },
];
