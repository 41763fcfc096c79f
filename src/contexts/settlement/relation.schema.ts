// What the ids of payouts and bank accounts lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleAccounts } from '../accounts/account.js';
import { Account } from '../accounts/account.schema.js';
import { visibleWallets } from '../accounts/wallet.js';
import { Wallet } from '../accounts/wallet.schema.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { BankAccount } from './payout/bank-account.schema.js';
import { Payout } from './payout/payout.schema.js';

builder.prismaObjectFields(Payout, (t) => ({
  wallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, by('walletId')) }),
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
  transfer: t.field({ type: Transfer, ...relatedRow('transfer', visibleTransfers, by('transferId')) }),
}));

builder.prismaObjectFields(BankAccount, (t) => ({
  account: t.field({ type: Account, ...relatedRow('account', visibleAccounts, by('accountId')) }),
}));
