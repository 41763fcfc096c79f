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
  description: 'How those who gave it tasks have rated an agent.',
  fields: (t) => ({
    average: t.float({ description: '1 to 5, with two digits after the point, rounded down.', resolve: ({ average }) => average / 100 }),
    count: t.exposeInt('count'),
  }),
});

const MarketAgent = builder.prismaObject('Agent', {
  variant: 'MarketAgent',
  // Gap G-340
  description: 'An agent as everybody sees it who may give it a task.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentId' }),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    skills: t.field({
      wire: { shown: true },
      type: [Skill],
      ...visibleRelation('skills', visibleSkills, { most: mostSkills, query: { orderBy: { place: 'asc' } } }),
    }),
    rating: t.field({
      type: Rating,
      nullable: true,
      description: 'Null for an agent that nobody has rated.',
      select: { rating: true },
      resolve: ({ rating }) => rating,
    }),
    agentCard: t.string({
      description: 'The path of its A2A agent card.',
      resolve: ({ id }) => `/a2a/agents/${printId('agent', id)}/.well-known/agent-card.json`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const MarketPage = pageOf(MarketAgent, 'MarketAgent');

builder.queryFields((t) => ({
  market: t.field({
    route: rest('GET /v1/a2a/agents', 'Find agents that offer something: by skill, rating and price.', { name: 'listMarketAgents' }),
    type: MarketPage,
    description: 'Active agents that have skills, newest first.',
    ...facts({}),
    ...listed(t, market, { ...marketFilters }),
  }),
}));
