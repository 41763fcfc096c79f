// What scenarios are made of: accounts, wallets, agents and merchants, each made by the rule that a request for it meets, and what is written
// down of them for the answer (CONTRACT.md 19).
import type { Ctx } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import type { Currency } from '../../platform/money.js';
import { printSubject } from '../../platform/schema/id.js';
import { createAccount } from '../accounts/account.js';
import { createMerchant } from '../accounts/merchant.js';
import { createWallet } from '../accounts/wallet.js';
import { createAgent } from '../agents/enrolment.js';
import { fundWallet } from '../transfers/funding.js';
import type { CreateTransferInput } from '../transfers/transfer.input.js';
import { createTransfer } from '../transfers/transfer-request.js';

export interface SeedAccount {
  id: string;
  name: string;
  customerReference: string;
}
export interface SeedWallet {
  id: string;
  name: string;
  ownerType: 'account' | 'agent';
  ownerId: string;
  currency: string;
}
export interface SeedAgent {
  id: string;
  name: string;
  walletId: string;
  /** Both are told once. */
  token: string | null;
  privateKey: string | null;
}
export interface SeedMerchant {
  id: string;
  name: string;
}
/** Anything else that was made. */
export interface SeedThing {
  type: string;
  id: string;
}

/** What a scenario has made. */
export interface Seed {
  scenario: string;
  accounts: SeedAccount[];
  wallets: SeedWallet[];
  agents: SeedAgent[];
  merchants: SeedMerchant[];
  things: SeedThing[];
}

/** Makes the things of one scenario. Every call is a request of its own, so a seed that fails leaves what it has made. */
export class SeedWorld {
  readonly ctx: Ctx;
  readonly seed: Seed;
  /** Stands in references, so that two seeds of a workspace do not meet. */
  readonly #tag: string;

  constructor(ctx: Ctx, scenario: string, tag: string) {
    this.ctx = ctx;
    this.seed = { scenario, accounts: [], wallets: [], agents: [], merchants: [], things: [] };
    this.#tag = tag;
  }

  async account(type: 'person' | 'business', name: string, country = 'US'): Promise<SeedAccount> {
    const customerReference = `${this.#tag}-${this.seed.accounts.length + 1}`;
    const { id } = await createAccount(this.ctx, { type, name, country, customerReference });
    const made = { id, name, customerReference };
    this.seed.accounts.push(made);
    return made;
  }

  /** A wallet of an account, with money in it when an amount is given. */
  async wallet({ id: ownerId, name: owner }: SeedAccount, currency: Currency, amount?: string): Promise<SeedWallet> {
    const name = `${owner}, ${currency}`;
    const { id } = await createWallet(this.ctx, { ownerType: 'account', ownerId, currency, name });
    if (amount !== undefined) await fundWallet(this.ctx, { id, amount });
    const made: SeedWallet = { id, name, ownerType: 'account', ownerId, currency };
    this.seed.wallets.push(made);
    return made;
  }

  /** An agent with a key pair, and a wallet with money in it. */
  async agent({ id: parentAccountId }: SeedAccount, name: string, currency: Currency, amount: string, kyaTier = 2): Promise<SeedAgent> {
    const { agent, token, authKey } = await createAgent(this.ctx, {
      parentAccountId,
      name,
      kyaTier,
      generateKeypair: true,
      wallet: { currency },
    });
    const { id: walletId } = await this.ctx.db.wallet.findFirstOrThrow({ where: { agentId: agent.id }, select: { id: true } });
    await fundWallet(this.ctx, { id: walletId, amount });
    const made: SeedAgent = { id: agent.id, name, walletId, token, privateKey: authKey?.privateKey ?? null };
    this.seed.agents.push(made);
    this.seed.wallets.push({ id: walletId, name: `${name}, ${currency}`, ownerType: 'agent', ownerId: agent.id, currency });
    return made;
  }

  async merchant(account: SeedAccount, wallet: SeedWallet, category: string): Promise<SeedMerchant> {
    const facts = { name: account.name, category, accountId: account.id, settlementWalletId: wallet.id };
    const { id } = await createMerchant(this.ctx, facts);
    const made = { id, name: account.name };
    this.seed.merchants.push(made);
    return made;
  }

  /** A transfer between two wallets; null for one that a rule refuses, which leaves a decision. */
  async pay(from: string, to: string, amount: string, more: Partial<CreateTransferInput> & { currency: Currency }): Promise<string | null> {
    try {
      const { transfer, approval } = await createTransfer(this.ctx, {
        type: 'internal',
        fromWalletId: from,
        toWalletId: to,
        amount,
        ...more,
      });
      this.note('transfer', transfer.id);
      if (approval !== null) this.note('approval', approval.id);
      return transfer.id;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return null;
      throw error;
    }
  }

  /** Writes down that something was made. */
  note(type: string, id: string): void {
    this.seed.things.push({ type, id: printSubject(type, id) });
  }
}
