// The GraphQL face of the timeline of an agent.
import { timelineKinds } from '../../manifest/timeline.js';
import { NotFound } from '../../platform/errors.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { rest } from './rest.js';
import { type TimelineEntry as Entry, timeline } from './timeline.js';

const TimelineKindEnum = builder.enumType('TimelineKind', { values: timelineKinds });

const TimelineEntry = builder.objectRef<Entry>('TimelineEntry').implement({
  description: 'One thing that happened to an agent, or by it.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime' }),
    kind: t.expose('kind', { type: TimelineKindEnum }),
    id: t.string({ description: 'Of the transfer, decision, approval or entry of the audit log.', resolve: ({ printedId }) => printedId }),
    summary: t.exposeString('summary', { description: 'A line for people.' }),
    data: t.expose('data', { type: 'JSONObject', description: 'The facts, by kind.' }),
  }),
});
const TimelinePage = pageOf(TimelineEntry, 'Timeline');

builder.queryField('agentTimeline', (t) =>
  t.field({
    route: rest(
      'GET /v1/agents/{id}/timeline',
      'What happened to an agent and by it, merged by time, newest first: logins, decisions, transfers, approvals.',
      { name: 'getAgentTimeline', names: { agentId: 'id' } },
    ),
    type: TimelinePage,
    description: 'Logins, decisions, transfers and approvals of an agent, merged by time, newest first.',
    authScopes: { audience: 'operator' },
    args: { agentId: t.arg({ type: 'AgentId' }), ...pageArgs(t) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { agentId, ...input }, ctx) => timeline(ctx, agentId, input),
  }),
);
