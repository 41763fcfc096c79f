// The contexts of the platform, of which each builds on those before it. What they give to the process is gathered here once.
import { a2a } from './contexts/a2a/context.js';
import { accounts } from './contexts/accounts/context.js';
import { acp } from './contexts/acp/context.js';
import { agents } from './contexts/agents/context.js';
import { analytics } from './contexts/analytics/context.js';
import { audit } from './contexts/audit/context.js';
import { batches } from './contexts/batches/context.js';
import { cards } from './contexts/cards/context.js';
import { checkouts } from './contexts/checkouts/context.js';
import { configuration } from './contexts/configuration/context.js';
import { connections } from './contexts/connections/context.js';
import { erasures } from './contexts/erasure/context.js';
import { events } from './contexts/events/context.js';
import { evidence } from './contexts/evidence/context.js';
import { evm } from './contexts/evm/context.js';
import { funding } from './contexts/funding/context.js';
import { identity } from './contexts/identity/context.js';
import { mandates } from './contexts/mandates/context.js';
import { mpp } from './contexts/mpp/context.js';
import { people } from './contexts/people/context.js';
import { rails } from './contexts/rails/context.js';
import { rates } from './contexts/rates/context.js';
import { reconciliation } from './contexts/reconciliation/context.js';
import { refunds } from './contexts/refunds/context.js';
import { sandbox } from './contexts/sandbox/context.js';
import { settlement } from './contexts/settlement/context.js';
import { settlementRules } from './contexts/settlement-rules/context.js';
import { spending } from './contexts/spending/context.js';
import { streams } from './contexts/streams/context.js';
import { tasks } from './contexts/tasks/context.js';
import { transfers } from './contexts/transfers/context.js';
import { treasury } from './contexts/treasury/context.js';
import { ucp } from './contexts/ucp/context.js';
import { usage } from './contexts/usage/context.js';
import { webhooks } from './contexts/webhooks/context.js';
import { x402 } from './contexts/x402/context.js';
import { manifestOf } from './manifest/manifest.js';

export const manifest = manifestOf([
  identity,
  people,
  accounts,
  agents,
  rates,
  spending,
  connections,
  usage,
  transfers,
  streams,
  batches,
  mandates,
  x402,
  mpp,
  settlement,
  rails,
  funding,
  evm,
  cards,
  refunds,
  settlementRules,
  tasks,
  a2a,
  checkouts,
  analytics,
  acp,
  webhooks,
  ucp,
  reconciliation,
  treasury,
  audit,
  evidence,
  erasures,
  events,
  configuration,
  sandbox,
]);
