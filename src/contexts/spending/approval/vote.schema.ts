// The GraphQL face of votes: what policies ask of people for an approval, who has voted, and how many are missing (CONTRACT.md 23).
import { ApprovalVoteValue, ApprovalVoteVia } from '../../../generated/prisma/enums.js';
import type { Ctx } from '../../../platform/ctx.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { mostApprovers } from '../policy/policy.input.js';
import type { ShownVote } from './standing.js';
import type { Requirement } from './vote-count.js';

/** Agents learn how many votes are missing, and nothing of who gives them. */
const seesMembers = ({ actor }: Ctx) => actor.agent === undefined;

export const ApprovalRequirementType = builder.objectRef<Requirement>('ApprovalRequirement').implement({
  description: 'The votes that one policy asks for.',
  fields: (t) => ({
    policyId: t.expose('policyId', { type: 'PolicyId', description: 'The policy that asks.' }),
    count: t.exposeInt('count', { description: 'How many different members have to approve.' }),
    memberIds: t.field({
      type: ['MemberId'],
      nullable: true,
      wire: { orNull: true },
      description: 'The members whose votes count; null where every member may vote whose authority suffices, and for agents.',
      ...facts({ most: mostApprovers, embedded: true }),
      resolve: ({ memberIds }, _args, ctx) => (seesMembers(ctx) && memberIds !== null ? [...memberIds] : null),
    }),
  }),
});

const VoteValue = builder.enumType(ApprovalVoteValue, {
  name: 'ApprovalVoteValue',
  description: 'What a member said: `approve`, or `reject`, which ends the approval.',
});
const VoteVia = builder.enumType(ApprovalVoteVia, {
  name: 'ApprovalVoteVia',
  description: 'From where a vote came: a session in the console, a program, or a link in a mail.',
});

const VoteMember = builder.objectRef<ShownVote['member']>('ApprovalVoteMember').implement({
  description: 'The member who voted.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MemberId', description: 'The member.' }),
    name: t.exposeString('name', { description: 'Name of the member.' }),
  }),
});

export const ApprovalVoteType = builder.objectRef<ShownVote>('ApprovalVote').implement({
  description: 'The vote of one member.',
  fields: (t) => ({
    member: t.field({
      type: VoteMember,
      nullable: true,
      description: 'Who voted; null for agents.',
      resolve: ({ member }, _args, ctx) => (seesMembers(ctx) ? member : null),
    }),
    vote: t.expose('vote', { type: VoteValue, description: 'What the member said.' }),
    via: t.expose('via', { type: VoteVia, description: 'From where the vote came.' }),
    comment: t.exposeString('comment', { nullable: true, description: 'Comment or reason of the member; null where none was given.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When the member voted.' }),
    counts: t.exposeBoolean('counts', {
      description: 'True where it counts: now while the approval is pending, and after that where it did at the decision.',
    }),
  }),
});
