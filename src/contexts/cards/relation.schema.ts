// What the ids of cards and instructions lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleAccounts } from '../accounts/account.js';
import { Account } from '../accounts/account.schema.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import { CardInstructionObject } from './instruction/instruction.schema.js';
import { VaultedCard } from './vault/card.schema.js';

builder.prismaObjectFields(VaultedCard, (t) => ({
  account: t.field({ type: Account, select: { accountId: true }, ...relatedRow('account', visibleAccounts, by('accountId')) }),
  agent: t.field({ type: Agent, select: { agentId: true }, ...relatedRow('agent', visibleAgents, by('agentId')) }),
}));

builder.objectFields(CardInstructionObject, (t) => ({
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
}));
