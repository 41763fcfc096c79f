// What the ids of trips and decisions lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import { BreakerTrip } from './breaker/breaker.schema.js';
import type { Decision } from './pipeline/decision.js';
import { DecisionType } from './pipeline/decision.schema.js';

builder.prismaObjectFields(BreakerTrip, (t) => ({
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, by('agentId')) }),
}));

builder.objectFields(DecisionType, (t) => ({
  agent: t.field({ type: Agent, ...relatedRow('agent', visibleAgents, ({ row }: Decision) => row?.agentId ?? null) }),
}));
