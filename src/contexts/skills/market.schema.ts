// The GraphQL face of the market: the public side of agents that offer something.
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { printId } from '../../platform/schema/id.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { mostSkills } from '../agents/skill-input.js';
import { marketFilters } from './market.input.js';
import { market } from './market.js';
import { rest } from './rest.js';
import { visibleSkills } from './skill.js';
import { Skill } from './skill.schema.js';

interface RatingSum {
  count: number;
  average: number;
}

const Rating = builder.objectRef<RatingSum>('AgentRating').implement({
  description: 'How senders of tasks have rated an agent.',
  fields: (t) => ({
    average: t.float({
      description: 'Average of the ratings, 1 to 5 with two decimals, rounded down.',
      resolve: ({ average }) => average / 100,
    }),
    count: t.exposeInt('count', { description: 'Number of ratings.' }),
  }),
});

const MarketAgent = builder.prismaObject('Agent', {
  variant: 'MarketAgent',
  // Gap G-340: The market shows active agents with skills, their ratings and card, and nothing of their account.
  description: 'An agent as others see it that may hire it.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentId' }),
    name: t.exposeString('name', { description: 'Name of the agent.' }),
    description: t.exposeString('description', { nullable: true, description: 'What the agent does; null where nothing was said.' }),
    skills: t.field({
      wire: { shown: true },
      type: [Skill],
      description: 'What the agent does for others, in its own order.',
      ...visibleRelation('skills', visibleSkills, { most: mostSkills, query: { orderBy: { place: 'asc' } } }),
    }),
    rating: t.field({
      type: Rating,
      nullable: true,
      description: 'How senders have rated it; null where nobody has.',
      select: { rating: true },
      resolve: ({ rating }) => rating,
    }),
    agentCard: t.string({
      description: 'Path of its A2A agent card.',
      resolve: ({ id }) => `/a2a/agents/${printId('agent', id)}/.well-known/agent-card.json`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const MarketPage = pageOf(MarketAgent, 'MarketAgent');

builder.queryFields((t) => ({
  market: t.field({
    route: rest(
      'GET /v1/a2a/agents',
      'Find agents to hire, by skill, rating and price. Active agents that have skills are listed, newest first; a skill without a price costs nothing.',
      { name: 'listMarketAgents' },
    ),
    type: MarketPage,
    authScopes: { audience: 'any', scope: 'agents:read' },
    ...facts({}),
    ...listed(t, market, { ...marketFilters }),
  }),
}));
