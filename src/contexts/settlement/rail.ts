// A rail carries money out of the platform. What a provider has to offer is this interface; docs/rails.md says how one is written.
import type { Ctx, Environment } from '../../platform/ctx.js';
import { checkRail, RailUnavailable } from '../transfers/rail.js';

/** Money that a rail is to carry. */
export interface RailOrder {
  /** Ours, at most 35 characters, and unique. A rail carries out one order of a reference. */
  reference: string;
  /** Minor units. */
  amount: bigint;
  currency: string;
  /** Where it goes, whole: the details of a bank account by their names on the wire, a key, or an address. */
  destination: Readonly<Record<string, string>>;
  /** The same as it is shown. */
  destinationRef: string;
  /** An order that has not arrived by then (workspace time) must never be carried out. */
  expiresAt: Date;
}

/** Why an order was rejected or came back, in the words of the rail. */
export interface RailReason {
  code: string;
  reason: string;
}

/**
 * What a rail says of an order. `missing`: it has no order of this reference, and of an expired one never will. `unknown`: nobody can
 * tell now; a rail that throws, or says nothing for ten seconds, has said this.
 */
export type RailAnswer =
  | { state: 'accepted'; expectedAt: Date }
  | { state: 'settled' }
  | ({ state: 'rejected' | 'returned' } & RailReason)
  | { state: 'missing' }
  | { state: 'unknown' };

/** A rail, as its provider serves it. */
export interface Rail {
  /** One of those that transfers/rail.ts names, with its currency. */
  name: string;
  /** What it takes for an order, minor units of its currency. */
  fee: bigint;
  /** Sends an order. It is called once for a reference that is stored already. */
  submit(ctx: Ctx, order: RailOrder): Promise<RailAnswer>;
  /** What has become of the order of a reference. */
  status(ctx: Ctx, reference: string): Promise<RailAnswer>;
}

const connected: Readonly<Record<Environment, Map<string, Rail>>> = { test: new Map(), live: new Map() };

/** Connects a rail in one environment. What was connected under its name before is replaced. */
export function connectRail(environment: Environment, rail: Rail): void {
  connected[environment].set(rail.name, rail);
}

/** The rail of a name in the environment of the workspace, if a provider serves it. */
export function railOf({ workspace }: Pick<Ctx, 'workspace'>, name: string): Rail | undefined {
  return connected[workspace.environment].get(name);
}

/** The rail that carries the currency. 422 `unsupported_rail` for a crossed one, 503 `rail_unavailable` without a provider. */
export function railFor(ctx: Pick<Ctx, 'workspace'>, name: string, currency: string): Rail {
  checkRail(name, currency);
  const rail = railOf(ctx, name);
  if (rail === undefined) throw new RailUnavailable();
  return rail;
}
