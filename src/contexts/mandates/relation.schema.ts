// What the ids of mandates and their executions lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleAccounts } from '../accounts/account.js';
import { Account } from '../accounts/account.schema.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { Execution } from './execution.schema.js';
import { visibleMandates, withAgent } from './mandate.js';
import { Mandate } from './mandate.schema.js';

builder.objectFields(Mandate, (t) => ({
  account: t.field({ type: Account, ...relatedRow('account', visibleAccounts, by('accountId')) }),
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
}));

builder.objectFields(Execution, (t) => ({
  mandate: t.field({ type: Mandate, ...relatedRow('mandate', visibleMandates, by('mandateId'), withAgent) }),
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
  transfer: t.field({ type: Transfer, ...relatedRow('transfer', visibleTransfers, by('id')) }),
}));
