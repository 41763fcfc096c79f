// What /metrics says of chains: how far they were read, what is stuck, and what the keys have.
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import type { GaugeGroup, Sample } from '../../platform/gauge.js';
import { standingOf } from '../rails/rail-state.sql.js';
import type { EvmChain } from './chain.js';
import { evmChains } from './configured-chain.js';

/** A payment should be in a block by then, seconds; a nonce that only has to be used up has more time. */
const [carriedSeconds, emptySeconds] = [300, 3_600];

export const chainGauges: GaugeGroup = {
  name: 'chains',
  gauges: [
    { name: 'chain_lag_seconds', label: 'rail', help: 'Seconds since the time of the newest block of a chain that was read.' },
    {
      name: 'chain_stuck_nonces',
      label: 'rail',
      help: 'Transactions of relayers whose payment is in no block after five minutes, and those that only use a nonce up after an hour.',
    },
    { name: 'signer_gas', label: 'rail', help: 'Gas money of the relayer that has least, in the coin of the chain.', across: 'min' },
    { name: 'treasury_money', label: 'rail', help: 'What the treasury of a chain has, in the currency of the rail.', across: 'min' },
  ],
  read: async (platform) => (await Promise.all(platform.extensions.of(evmChains).map((chain) => samplesOf(platform, chain)))).flat(),
};

async function samplesOf({ database: { pool }, clock }: Platform, { rail: label, chainId }: EvmChain): Promise<Sample[]> {
  const at = clock.now();
  const [lastAt, stuck, { balances }] = await Promise.all([
    lastReadAt(pool, chainId),
    stuckNonces(pool, chainId, at),
    standingOf(pool, label),
  ]);
  const amounts = (place: string) => balances.filter(({ where }) => where.startsWith(`${place} `)).map(({ amount }) => Number(amount));
  const [gas, money] = [amounts('relayer'), amounts('treasury')];
  return [
    ...(lastAt === null ? [] : [{ name: 'chain_lag_seconds', label, value: Math.max(0, (at.getTime() - lastAt.getTime()) / 1_000) }]),
    { name: 'chain_stuck_nonces', label, value: stuck },
    ...(gas.length === 0 ? [] : [{ name: 'signer_gas', label, value: Math.min(...gas) }]),
    ...(money.length === 0 ? [] : [{ name: 'treasury_money', label, value: Math.min(...money) }]),
  ];
}

async function lastReadAt(pool: pg.Pool, chainId: bigint): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date }>('SELECT at FROM chain_block WHERE chain_id = $1 ORDER BY number DESC LIMIT 1', [
    chainId.toString(),
  ]);
  return rows[0]?.at ?? null;
}

/** What is in a block and not deep yet is not stuck. */
async function stuckNonces(pool: pg.Pool, chainId: bigint, at: Date): Promise<number> {
  const { rows } = await pool.query<{ stuck: string }>(
    `SELECT count(*) AS stuck FROM chain_transaction t
       LEFT JOIN chain_payment p ON p.workspace_id = t.payer_workspace_id AND p.id = t.payment_id
     WHERE t.chain_id = $1 AND t.mined_hash IS NULL AND CASE WHEN p.state IN ('open', 'signed')
       THEN t.created_at < $2::timestamptz - make_interval(secs => $3)
       ELSE (p.state IS NULL OR p.state = 'lapsed') AND t.created_at < $2::timestamptz - make_interval(secs => $4) END`,
    [chainId.toString(), at, carriedSeconds, emptySeconds],
  );
  return Number(rows[0]?.stuck ?? 0);
}
