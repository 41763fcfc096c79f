// The schema: every face, nothing else. Nobody but this file imports faces for their effect.
import './contexts/identity/api-key.schema.js';
import './contexts/identity/auth-session.schema.js';
import './contexts/accounts/account.schema.js';
import './contexts/accounts/wallet.schema.js';
import './contexts/accounts/entry.schema.js';
import './contexts/accounts/merchant.schema.js';
import './contexts/agents/agent.schema.js';
import './contexts/agents/channel.schema.js';
import './contexts/agents/key.schema.js';
import './contexts/agents/session.schema.js';
import './contexts/agents/me.schema.js';
import './contexts/rates/rate.schema.js';
import './contexts/spending/initiator.schema.js';
import './contexts/spending/approval.schema.js';
import './contexts/spending/breaker.schema.js';
import './contexts/spending/budget.schema.js';
import './contexts/spending/decision.schema.js';
import './contexts/spending/kill-switch.schema.js';
import './contexts/spending/kya-limit.schema.js';
import './contexts/spending/protocol.schema.js';
import './contexts/spending/policy-rule.schema.js';
import './contexts/spending/policy.schema.js';
import './contexts/spending/policy-evaluation.schema.js';
import './contexts/spending/policy-limits.schema.js';
import './contexts/transfers/quote.schema.js';
import './contexts/transfers/transfer.schema.js';
import './contexts/transfers/approval.schema.js';
import './contexts/transfers/dry-run.schema.js';
import './contexts/events/event.schema.js';
import './contexts/events/approval-stream.schema.js';
import './contexts/sandbox/sandbox.schema.js';
import './contexts/webhooks/webhook.schema.js';
import './contexts/webhooks/delivery.schema.js';
import './contexts/treasury/trial-balance.schema.js';
import { builder } from './platform/schema/builder.js';

/** The executable schema, in the order in which the faces are written. */
export const schema = builder.toSchema({ sortSchema: false });
