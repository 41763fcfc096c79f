// The statements of the simulated chain: each takes its row's lock and changes it at once, so that parallel transfers follow each other.
import type { Ctx } from '../../../platform/ctx.js';
import type { Db, Tx } from '../../../platform/postgres/database.js';
import type { ChainAddress } from './address.js';

type Where = Pick<Ctx, 'workspace'>;

/** Adds base units to a balance, which it then has. */
export async function creditBalance(
  { workspace }: Where,
  tx: Tx | Db,
  network: string,
  address: ChainAddress,
  value: bigint,
): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ balance: bigint }[]>`
    INSERT INTO chain_balance (workspace_id, network, address, balance) VALUES (${workspace.id}::uuid, ${network}, ${address}, ${value})
    ON CONFLICT (workspace_id, network, address) DO UPDATE SET balance = chain_balance.balance + excluded.balance RETURNING balance`;
  return row?.balance ?? 0n;
}

/** Takes base units from a balance; false when it does not have them. */
export async function debitBalance({ workspace }: Where, tx: Tx, network: string, address: ChainAddress, value: bigint): Promise<boolean> {
  const taken = await tx.$executeRaw`UPDATE chain_balance SET balance = balance - ${value}
    WHERE workspace_id = ${workspace.id}::uuid AND network = ${network} AND address = ${address} AND balance >= ${value}`;
  return taken === 1;
}

/** An authorization that is carried out. */
interface UsedAuthorization {
  network: string;
  payer: string;
  nonce: string;
  payee: string;
  value: bigint;
  txHash: string;
}

/** Uses an authorization up; false when it was used before. */
export async function useAuthorization(
  { workspace, clock }: Pick<Ctx, 'workspace' | 'clock'>,
  tx: Tx,
  { network, payer, nonce, payee, value, txHash }: UsedAuthorization,
): Promise<boolean> {
  const used = await tx.$executeRaw`
    INSERT INTO chain_authorization (workspace_id, network, payer, nonce, payee, value, tx_hash, created_at)
    VALUES (${workspace.id}::uuid, ${network}, ${payer}, ${nonce}, ${payee}, ${value}, ${txHash}, ${clock.now()}) ON CONFLICT DO NOTHING`;
  return used === 1;
}
