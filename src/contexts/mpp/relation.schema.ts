// What the ids of sessions and payments lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleWallets } from '../accounts/wallet.js';
import { Wallet } from '../accounts/wallet.schema.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { MppPaymentType } from './payment.schema.js';
import { MppSessionType } from './session.schema.js';

builder.objectFields(MppSessionType, (t) => ({
  wallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, by('walletId')) }),
  payeeWallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, by('payeeWalletId')) }),
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
}));

builder.objectFields(MppPaymentType, (t) => ({
  wallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, by('fromWalletId')) }),
  payeeWallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, by('toWalletId')) }),
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
  transfer: t.field({ type: Transfer, ...relatedRow('transfer', visibleTransfers, by('id')) }),
}));
