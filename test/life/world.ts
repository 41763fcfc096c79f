// A world that only the client keeps: wallets and transfers in integer minor units, and what each request must do to them. It is asked
// nothing of the server but times and ids.
export interface Purse {
  id: string;
  currency: 'USD' | 'EUR';
  available: bigint;
  held: bigint;
  wrapped: bigint;
  isFrozen: boolean;
}

export interface Payment {
  id: string;
  status: 'pending' | 'completed' | 'failed' | 'cancelled';
  from: Purse;
  to: Purse;
  /** What leaves the payer, what of it is the fee, and what reaches the payee. */
  sent: bigint;
  fee: bigint;
  paid: bigint;
  kind: 'paid' | 'held' | 'scheduled' | 'refund' | 'inside' | 'stream';
  /** What of it was captured. */
  captured: bigint;
  refunded: bigint;
  refunds: number;
  isDisputed: boolean;
  /** When a hold expires, or a scheduled payment is carried out. */
  dueAt?: number;
}

const ceil = (num: bigint, den: bigint) => (num + den - 1n) / den;

export class World {
  readonly purses: Purse[] = [];
  readonly payments = new Map<string, Payment>();

  add(payment: Omit<Payment, 'refunded' | 'refunds' | 'isDisputed' | 'captured'>): Payment {
    const captured = payment.status === 'completed' ? payment.sent : 0n;
    const added = { ...payment, captured, refunded: 0n, refunds: 0, isDisputed: false };
    this.payments.set(added.id, added);
    return added;
  }

  /** A payment at once. */
  pay(payment: Payment): void {
    payment.from.available -= payment.sent;
    payment.to.available += payment.paid;
  }

  hold({ from, sent }: Payment): void {
    from.available -= sent;
    from.held += sent;
  }

  /** What was captured of a hold goes on, the rest comes back. */
  capture(payment: Payment, captured: bigint): void {
    const { from, to, sent, fee, paid } = payment;
    from.held -= sent;
    from.available += sent - captured;
    Object.assign(payment, { status: 'completed', captured, fee: ceil(fee * captured, sent), paid: (paid * captured) / sent });
    to.available += payment.paid;
  }

  release(payment: Payment): void {
    payment.from.held -= payment.sent;
    payment.from.available += payment.sent;
    payment.status = 'cancelled';
  }

  /** What can still be refunded. */
  restOf({ captured, fee, refunded }: Payment): bigint {
    return captured - fee - refunded;
  }

  /** What the payee gives for `amount` more that is refunded. */
  shareOf({ captured, fee, paid, refunded }: Payment, amount: bigint): bigint {
    const whole = captured - fee;
    return ceil(paid * (refunded + amount), whole) - ceil(paid * refunded, whole);
  }

  refund(payment: Payment, amount: bigint): void {
    payment.to.available -= this.shareOf(payment, amount);
    payment.from.available += amount;
    payment.refunded += amount;
    payment.refunds += 1;
  }

  /** What has become due by `now`, in the order of its time. */
  arrive(now: number): void {
    const due = [...this.payments.values()].filter(({ status, dueAt }) => status === 'pending' && dueAt !== undefined && dueAt <= now);
    for (const payment of due.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))) {
      if (payment.kind === 'held') this.release(payment);
      else if (payment.from.isFrozen || payment.from.available < payment.sent) payment.status = 'failed';
      else {
        this.pay(payment);
        Object.assign(payment, { status: 'completed', captured: payment.sent });
      }
    }
  }

  /** Whether something becomes due soon after `now`, while requests take their time. */
  isSoon(now: number, ms: number): boolean {
    return [...this.payments.values()].some(({ status, dueAt }) => status === 'pending' && dueAt !== undefined && dueAt <= now + ms);
  }
}
