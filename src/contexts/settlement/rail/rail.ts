// A rail carries money out of the platform, or into it. What a provider has to offer is this interface; docs/rails.md says how one is
// written.
import { connections } from '../../../platform/connection.js';
import type { Ctx, Environment, Platform } from '../../../platform/ctx.js';
import { checkRail, railUnavailable } from '../../transfers/rail.js';
import type { OrderMessage } from './submission.js';

/** Money that a rail is to carry. */
export interface RailOrder extends OrderMessage {
  /** Of what it is for. A reference may change, this does not: it is carried out once. */
  id: string;
  /** `out`: it pays to the destination. `in`: it collects from it. */
  direction: 'out' | 'in';
  /** The same for orders that are submitted together, at most 35 characters; null for one that stands alone. */
  batch: string | null;
  /** Minor units. */
  amount: bigint;
  currency: string;
  /**
   * Where it goes, whole: the details of a bank account by their names on the wire, a key, or an address. Where it comes from: what the
   * provider calls its source.
   */
  destination: Readonly<Record<string, string>>;
  /** The same as it is shown. */
  destinationRef: string;
}

/** Why an order was rejected or came back, in the words of the rail. */
export interface RailReason {
  code: string;
  reason: string;
}

/**
 * What a rail says of an order. `queued`: it has it, and has not begun. `returned`: the money came back, after it was paid (`wasPaid`: the statement has both) or before.
 * `missing`: it has no order of this reference, and of an expired one never will. `unknown`: nobody can tell now; a rail that throws, or
 * says nothing for ten seconds, has said this.
 */
export type RailAnswer =
  | { state: 'queued'; expectedAt: Date }
  | { state: 'accepted'; expectedAt: Date }
  | { state: 'settled' }
  | ({ state: 'rejected' } & RailReason)
  | ({ state: 'returned'; wasPaid: boolean } & RailReason)
  | { state: 'missing' }
  | { state: 'unknown' };

/** A rail, as its provider serves it. */
export interface Rail {
  /** One of those that transfers/rail.ts names, with its currency. */
  name: string;
  /** What it takes for an order, minor units of its currency. */
  fee: bigint;
  /** From an order to its payment, as a rule. */
  latencySeconds: number;
  /** What it takes beside it of money that comes in: ten-thousandths, rounded up. */
  share?: bigint;
  /**
   * Throws where it takes no new order of an amount from the workspace now: 503 `rail_unavailable`, 422 `rail_limit_exceeded`, 400 for a place
   * that it does not pay. A rail without it takes all.
   */
  admit?(ctx: Ctx, order: Pick<RailOrder, 'direction' | 'amount'> & { destination?: RailOrder['destination'] }): Promise<void>;
  /** Sends an order. It is called once for a reference that is stored already. */
  submit(ctx: Ctx, order: RailOrder): Promise<RailAnswer>;
  /** What has become of the order of a reference. */
  status(ctx: Ctx, reference: string): Promise<RailAnswer>;
}

/** A rail that says nothing by then is asked: so many seconds after it was to have settled. */
export const patienceSeconds = 60;

/** The rails that providers serve. */
export const rails = connections<Rail>('rails');

/** Where a rail is served. */
interface Served {
  platform: Pick<Platform, 'extensions'>;
  workspace: { environment: Environment };
}

/** The rail of a name in the environment of the workspace, if a provider serves it. */
export function railOf({ platform, workspace }: Served, name: string): Rail | undefined {
  return platform.extensions.of(rails).of(workspace, name);
}

/** What a rail takes for bringing an amount in, minor units. */
export function collectionFee({ fee, share = 0n }: Pick<Rail, 'fee' | 'share'>, amount: bigint): bigint {
  return fee + (amount * share + 9_999n) / 10_000n;
}

/**
 * The rail that carries the currency out of the platform. 422 `unsupported_rail` for a crossed one, 503 `rail_unavailable` without a
 * provider.
 */
export async function railFor(ctx: Pick<Ctx, 'platform' | 'workspace'>, name: string, currency: string): Promise<Rail> {
  checkRail(ctx, name, currency);
  const rail = railOf(ctx, name);
  if (rail === undefined) throw await railUnavailable(ctx, name);
  return rail;
}
