// What a stream is in a world that only the client keeps. Its rate is an amount per day, so that a part of a minor unit is a whole number
// of 86,400,000ths.
import type { Purse } from './world.js';

export const unitsPerMinor = 86_400_000n;

export class Flow {
  readonly id: string;
  readonly from: Purse;
  readonly to: Purse;
  status: 'active' | 'paused' | 'exhausted' | 'cancelled' = 'active';
  /** Minor units per day: as many units per millisecond. */
  #rate: bigint;
  #accrued = 0n;
  #since: number;
  #deposited: bigint;
  #withdrawn = 0n;

  constructor(id: string, from: Purse, to: Purse, rate: bigint, deposit: bigint, at: number) {
    this.id = id;
    this.from = from;
    this.to = to;
    this.#rate = rate;
    this.#deposited = deposit;
    this.#since = at;
  }

  /** Lets it flow until an instant. */
  until(at: number): void {
    if (this.status !== 'active') return;
    const most = this.#deposited * unitsPerMinor;
    const accrued = this.#accrued + this.#rate * BigInt(at - this.#since);
    this.#accrued = accrued < most ? accrued : most;
    this.#since = at;
    if (accrued >= most) this.status = 'exhausted';
  }

  /** Milliseconds until its money is used up. */
  get leftMs(): bigint {
    return (this.#deposited * unitsPerMinor - this.#accrued) / this.#rate;
  }

  /** What the payee can take. */
  get withdrawable(): bigint {
    return this.#accrued / unitsPerMinor - this.#withdrawn;
  }

  topUp(amount: bigint, at: number): void {
    this.until(at);
    this.#deposited += amount;
    if (this.status === 'exhausted') this.status = 'active';
    this.#since = at;
  }

  change(rate: bigint, at: number): void {
    this.until(at);
    this.#rate = rate;
  }

  pause(at: number): void {
    this.until(at);
    if (this.status === 'active') this.status = 'paused';
  }

  resume(at: number): void {
    this.status = 'active';
    this.#since = at;
  }

  withdraw(amount: bigint): void {
    this.#withdrawn += amount;
    this.to.available += amount;
  }

  /** Ends it: what has flowed is paid, the rest goes back. Returns what was paid. */
  cancel(at: number): bigint {
    this.until(at);
    const paid = this.withdrawable;
    this.withdraw(paid);
    this.from.available += this.#deposited - this.#withdrawn;
    this.status = 'cancelled';
    return paid;
  }
}
