// A kind of rail of production: what the file says of one, and what one can do. A context above this one brings each kind.
import type pg from 'pg';
import type { z } from 'zod';
import type { ConnectorOrder } from '../../generated/prisma/client.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { type Extension, namedParts } from '../../platform/extension.js';
import type { Currency } from '../../platform/money.js';
import type { RailOrder } from '../settlement/rail/rail.js';
import type { SecretPlace } from './secret.js';

/** What every rail of the file has. */
export interface RailSetting {
  name: string;
  kind: string;
  currency: Currency;
  /** Whose orders it takes, by the ids of live workspaces. */
  workspaces: 'all' | readonly string[];
  /** What the payer is charged for an order, minor units. */
  fee: bigint;
  limits: RailLimits;
  expectedSeconds: number;
  /** What the settings of the rail come to, without its secrets: a doctor's word is good for one digest. */
  digest: string;
}

/** Minor units of the currency of a rail; days are of UTC, and count the orders of all workspaces. */
export interface RailLimits {
  perOrder: bigint;
  perDay: bigint;
  perDayCount: number;
}

/** Whether something is as it has to be. */
export interface Finding {
  check: string;
  ok: boolean;
  found: string;
  wanted: string;
  /** What to do where it is not; null where it is. */
  fix: string | null;
}

/** Something that is looked at before a rail is switched on. It moves no money and leaves nothing. */
export interface RailCheck {
  name: string;
  /** It is looked at every minute, too. */
  isCheap: boolean;
  /** While it finds something wrong the rail takes no new orders. */
  stops: boolean;
  run(platform: Platform): Promise<readonly Omit<Finding, 'check'>[]>;
}

/** Something that is wrong with a rail now. */
export interface RailProblem {
  check: string;
  found: string;
  fix: string | null;
  stops: boolean;
}

/** Money at a place that belongs to a rail, minor units of its currency but for gas. */
export interface RailBalance {
  where: string;
  amount: string;
  unit: string;
}

/**
 * Why there is more or less outside than the ledger says. `opening`: what a place of ours had before anything of it was read. `put_in`,
 * `taken_out`: capital of the operator, which is no order. `below_minimum`: what came in and was too little to be credited.
 */
export type ProofReason = 'opening' | 'put_in' | 'taken_out' | 'below_minimum';

/** A part of the difference that has a reason, minor units. */
export interface ProofPart {
  reason: ProofReason;
  amount: bigint;
  /** How many movements it is made of. */
  count: number;
  /** The newest of them, as the world outside calls them. */
  newest: readonly string[];
}

/** Where and when money outside was read. */
export interface ProofPlace {
  block: number;
  hash: string;
  time: Date;
}

/** What our own books say of a rail, without the ledger. */
export interface RailBooks {
  /** What has moved outside and is not posted yet, less what is posted and has moved later. */
  inFlight: bigint;
  explained: readonly ProofPart[];
}

/** What is outside, minor units of the currency of the rail, and what belongs beside it. */
export interface RailHoldings {
  at: ProofPlace;
  outside: readonly { where: string; amount: bigint }[];
  /** Reads the books, in the same snapshot as the ledger. */
  books(tx: pg.ClientBase): Promise<RailBooks>;
}

/** From where a chain is read again. */
export interface ResumedReading {
  block: number;
  /** What was booked by blocks that were taken back. */
  booked: readonly string[];
}

/** A rail that the file names. */
export interface ConfiguredRail extends RailSetting {
  directions: readonly ('out' | 'in')[];
  /** The network that it carries money on, as CAIP-2 names it. */
  network?: string;
  checks: readonly RailCheck[];
  /** Throws 400 for a destination that it never pays. */
  checkDestination(order: Pick<RailOrder, 'destination'>): void;
  /** Takes the next step with an order that it has accepted, and writes when the one after it is due. */
  step(ctx: Ctx, order: ConnectorOrder): Promise<void>;
  balances(platform: Platform): Promise<readonly RailBalance[]>;
  /** Reads what it holds outside. Throws one sentence where nobody knows. */
  holdings?(platform: Platform): Promise<RailHoldings>;
  /** Reads on after deep blocks were taken back, from a block that is named or the last good one. Throws one sentence where it cannot. */
  resumeReading?(platform: Platform, from: bigint | null): Promise<ResumedReading>;
  /** What it gives to contexts below it. */
  extensions: readonly Extension[];
}

/** A kind, loaded when the file has a rail of it. */
export interface RailKind<Own = unknown> {
  /** The members of its own. */
  shape: z.ZodRawShape;
  /** The currency of a rail of a name; null where a rail of this kind is not called so, which `names` explains. */
  currencyOf(name: string): Currency | null;
  names: string;
  expectedSeconds: number;
  open(setting: RailSetting, own: Own, place: SecretPlace): Promise<ConfiguredRail>;
  /** What is wrong with rails of this kind beside each other: by the name of a rail, one sentence. */
  conflicts(rails: readonly { name: string; own: Own }[]): readonly { name: string; member: string; problem: string }[];
}

/** The kinds, by the names that the file gives them. */
export const railKinds = namedParts<() => Promise<RailKind>>('kinds of rails');
