// What the ids of checkouts lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleMerchants } from '../accounts/merchant.js';
import { Merchant } from '../accounts/merchant.schema.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { CheckoutInterface } from './checkout.schema.js';

builder.interfaceFields(CheckoutInterface, (t) => ({
  merchant: t.field({ type: Merchant, ...relatedRow('merchant', visibleMerchants, by('merchantId')) }),
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
  transfer: t.field({ type: Transfer, ...relatedRow('transfer', visibleTransfers, by('transferId')) }),
}));
