// The GraphQL face of the timeline of an agent.
import { timelineKinds } from '../../manifest/timeline.js';
import { NotFound } from '../../platform/errors.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { rest } from './rest.js';
import { type TimelineEntry as Entry, timeline } from './timeline.js';

const TimelineKindEnum = builder.enumType('TimelineKind', { description: 'What kind of thing happened.', values: timelineKinds });

const TimelineEntry = builder.objectRef<Entry>('TimelineEntry').implement({
  description: 'Something that happened to an agent or was done by it.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    kind: t.expose('kind', { type: TimelineKindEnum }),
    id: t.string({
      description: 'The identifier of the transfer, decision, task, approval or audit entry.',
      resolve: ({ printedId }) => printedId,
    }),
    summary: t.exposeString('summary', { description: 'One line of text for people.' }),
    data: t.expose('data', { type: 'JSONObject', description: 'The facts, by kind.' }),
  }),
});
const TimelinePage = pageOf(TimelineEntry, 'Timeline');

builder.queryField('agentTimeline', (t) =>
  t.field({
    route: rest(
      'GET /v1/agents/{id}/timeline',
      'Show what happened to an agent and what it did, newest first. Sign-ins, decisions, transfers, tasks and approvals are merged by time.',
      { name: 'getAgentTimeline', names: { agentId: 'id' } },
    ),
    type: TimelinePage,
    authScopes: { audience: 'operator', scope: 'audit:read' },
    args: { agentId: t.arg({ type: 'AgentId' }), ...pageArgs(t) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { agentId, ...input }, ctx) => timeline(ctx, agentId, input),
  }),
);
