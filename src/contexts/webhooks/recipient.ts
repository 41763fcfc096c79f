// The subscriptions of a batch of deliveries, as they are when each is sent. A delivery may wait for its turn, and a secret that is
// rotated meanwhile, or a subscription that is paused or deleted, counts then.
import type { Ctx } from '../../platform/ctx.js';
import { loadRecipients, type RecipientRow } from './delivery.sql.js';
import { secretsOf } from './webhook.js';

/** A subscription with the secrets that a send of now is signed with. */
export type Recipient = RecipientRow & { secrets: () => string[] };

/** What was read no longer ago than this is of now. */
const currentMs = 50;

export class Recipients {
  readonly #ctx: Ctx;
  #byId: ReadonlyMap<string, Recipient>;
  #readAt: number;
  #reading: Promise<void> | undefined;

  /** `readAt` is when the read of `rows` began, as performance.now() tells it. */
  constructor(ctx: Ctx, rows: readonly RecipientRow[], readAt: number) {
    this.#ctx = ctx;
    this.#byId = this.#withSecrets(rows);
    this.#readAt = readAt;
  }

  /** The subscription as it was read last. */
  get(id: string): Recipient | undefined {
    return this.#byId.get(id);
  }

  /** The subscription as it is now. All of the batch are read together, and not again at once. */
  async current(id: string): Promise<Recipient | undefined> {
    if (performance.now() - this.#readAt > currentMs) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.#byId.get(id);
  }

  async #read(): Promise<void> {
    const begun = performance.now();
    this.#byId = this.#withSecrets(await loadRecipients(this.#ctx, [...this.#byId.keys()]));
    this.#readAt = begun;
  }

  #withSecrets(rows: readonly RecipientRow[]): ReadonlyMap<string, Recipient> {
    return new Map(rows.map((row) => [row.id, { ...row, secrets: secretsOf(this.#ctx, row) }]));
  }
}
