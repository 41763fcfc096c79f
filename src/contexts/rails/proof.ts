// The proof of a rail: what is outside against what the ledgers of all live workspaces say, to the smallest unit (CONTRACT.md 27, decision 0102).
import { addSeconds } from '../../platform/clock.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import type { RealTimeWork } from '../../platform/due/real-time.js';
import { Forbidden, NotFound } from '../../platform/errors.js';
import type { Currency } from '../../platform/money.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { RailUnavailable } from '../transfers/rail.js';
import { configuredRail, configuredRails } from './configured-rails.js';
import { isOperator } from './operator.js';
import { ledgerOf, noteProof, takeProof } from './proof.sql.js';
import type { ConfiguredRail, ProofPart, ProofPlace, RailHoldings } from './rail-kind.js';

/** What a rail holds outside, and what of it the books have; minor units of its currency. */
export interface RailProof {
  rail: string;
  currency: Currency;
  at: ProofPlace;
  outside: readonly { where: string; amount: bigint }[];
  /** What came in less what went out, by the ledger. */
  ledger: bigint;
  inFlight: bigint;
  explained: readonly ProofPart[];
  /** What is outside and has no reason; below zero, what should be there and is not. */
  difference: bigint;
}

/** What is left out is what was written while it was read: ledger and books are of one instant. */
const oneInstant = ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY'];

/** Proves a rail. Null for a kind that has no proof. Throws one sentence where nobody knows. */
export async function proveRail(platform: Platform, rail: ConfiguredRail): Promise<RailProof | null> {
  if (rail.holdings === undefined) return null;
  const holdings: RailHoldings = await rail.holdings(platform);
  const { name, currency } = rail;
  const books = await inTransaction(
    platform.database.pool,
    async (tx) => ({ ledger: await ledgerOf(tx, name, currency), ...(await holdings.books(tx)) }),
    { first: oneInstant },
  );
  const { at, outside } = holdings;
  const { ledger, inFlight, explained } = books;
  // Gap G-870: Outside is ledger, in flight, explained and difference; `ledger` is what came in less what went out.
  const difference = sum(outside) - ledger - inFlight - sum(explained);
  return { rail: name, currency, at, outside, ledger, inFlight, explained, difference };
}

function sum(parts: readonly { amount: bigint }[]): bigint {
  return parts.reduce((total, { amount }) => total + amount, 0n);
}

/** The proof of a rail, for who runs the platform. 503 where nobody knows what is outside, 404 for a rail that has no proof. */
export async function readProof(ctx: Ctx, name: string): Promise<RailProof> {
  if (!(await isOperator(ctx))) throw new Forbidden('Rails are proven to who runs the platform, in production.');
  const rail = configuredRail(ctx, name);
  if (rail === undefined) throw new NotFound();
  const proof = await proveRail(ctx.platform, rail).catch((error: unknown) => {
    ctx.log.warn({ err: error, rail: name }, 'a rail could not be proven');
    // Gap G-871: A proof that cannot be had now is 503 `rail_unavailable`, reason `unhealthy`: the doctor says why.
    throw new RailUnavailable(name, 'unhealthy', true);
  });
  if (proof === null) throw new NotFound();
  return proof;
}

const everySeconds = 300;
const lookMs = 30_000;

/** Proves each rail every five minutes, in one of the processes that work, and says where a difference has come or gone. */
export const proofWork: RealTimeWork = {
  name: 'rail proofs',
  run: async (platform) => {
    const rails = [...platform.extensions.of(configuredRails).byName.values()].filter(({ holdings }) => holdings !== undefined);
    if (rails.length === 0) return null;
    for (const rail of rails) await proveAgain(platform, rail);
    return lookMs;
  },
};

async function proveAgain(platform: Platform, rail: ConfiguredRail): Promise<void> {
  const { log, clock, database } = platform;
  const at = clock.now();
  if (!(await takeProof(database.pool, rail.name, { at, before: addSeconds(at, -everySeconds) }))) return;
  const proof = await proveRail(platform, rail).catch((error: unknown) => {
    log.warn({ err: error, rail: rail.name }, 'a rail could not be proven');
    return null;
  });
  if (proof === null) return;
  await noteProof(database.pool, rail.name, { difference: proof.difference, at });
  if (proof.difference !== 0n)
    log.error({ rail: rail.name, difference: proof.difference.toString(), block: proof.at.block }, 'a rail differs from the ledger');
}
