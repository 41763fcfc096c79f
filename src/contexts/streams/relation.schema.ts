// What the ids of streams lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { relatedRow } from '../../platform/schema/related-row.js';
import { visibleWallets } from '../accounts/wallet.js';
import { Wallet } from '../accounts/wallet.schema.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import type { StreamView } from './stream.js';
import { Stream } from './stream.schema.js';

builder.objectFields(Stream, (t) => ({
  fromWallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, ({ row }: StreamView) => row.fromWalletId) }),
  toWallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, ({ row }: StreamView) => row.toWalletId) }),
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, ({ row }: StreamView) => row.agentId) }),
}));
