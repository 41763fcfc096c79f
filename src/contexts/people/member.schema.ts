// The GraphQL face of members and of their recovery.
import { MemberStatus } from '../../generated/prisma/enums.js';
import type { MemberAuthority } from '../../platform/ctx.js';
import { Forbidden, NotFound, PersonRequired } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { LastOwner, MemberRemoved } from './errors.js';
import { authorityOf } from './grant.js';
import { MemberRoleEnum, UpdateMemberInput } from './member.input.js';
import { member, members, methodsOf, removeMember, signOutMember, updateMember, visiblePeople } from './member.js';
import { type IssuedRecovery, recoverMember, recovery } from './recovery.js';
import { rest } from './rest.js';

const MemberStatusEnum = builder.enumType(MemberStatus, {
  name: 'MemberStatus',
  description: '`active`: signs in. `suspended`: does not for now. `removed`: never again; the person may be invited anew.',
});

export const SignInMethodEnum = builder.enumType('SignInMethod', {
  description: 'How a person signs in: with a password, a passkey, or at the identity provider of the company.',
  values: ['password', 'passkey', 'oidc'] as const,
});

export const Authority = builder.objectRef<MemberAuthority>('Authority').implement({
  description: 'Which approvals a member may decide: those of at most an amount.',
  fields: (t) => ({
    maxAmount: t.field({
      type: 'Amount',
      nullable: true,
      wire: { orNull: true },
      description: 'The most that the member approves; null: any amount.',
      resolve: ({ maxAmount, currency }) => (maxAmount === null ? null : formatMinor(maxAmount, currency)),
    }),
    currency: t.exposeString('currency', { description: 'The currency of `max_amount`.' }),
  }),
});

export const Member = builder.prismaObject('Member', {
  description: 'A person of the tenant, with one role in both environments.',
  ...byId(rowsOf('member', visiblePeople)),
  fields: (t) => ({
    id: t.expose('id', { type: 'MemberId' }),
    name: t.exposeString('name', { description: 'What the person is called.' }),
    email: t.exposeString('email', { description: 'The e-mail by which the person is known.' }),
    role: t.expose('role', { type: MemberRoleEnum, description: 'What the person may do, as a set of scopes.' }),
    authority: t.field({
      type: Authority,
      nullable: true,
      wire: { orNull: true },
      description: 'Which approvals the person may decide; null: none.',
      resolve: authorityOf,
    }),
    status: t.expose('status', { type: MemberStatusEnum, description: 'Whether the person may sign in.' }),
    methods: t.field({
      type: [SignInMethodEnum],
      description: 'By which the person can sign in now.',
      ...facts({ most: 3, embedded: true }),
      resolve: (row, _args, ctx) => methodsOf(ctx, row),
    }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person was last seen, to the minute; null while that was never.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const MemberPage = pageOf(Member, 'Member');

const DeletedMember = builder.objectRef<{ id: string }>('DeletedMember').implement({
  description: 'A member who was removed.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MemberId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

const MemberRecovery = builder.objectRef<Partial<IssuedRecovery> & Pick<IssuedRecovery, 'expiresAt'>>('MemberRecovery').implement({
  description: 'A way back in for a member who cannot sign in any more.',
  fields: (t) => ({
    link: t.string({
      nullable: true,
      description: 'The link at which the member sets a new password, shown once; null where it goes by mail, and afterwards.',
      extensions: { secret: true },
      resolve: ({ link }) => link ?? null,
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link ends, an hour after it was made.' }),
  }),
});

builder.queryFields((t) => ({
  member: t.prismaField({
    route: rest('GET /v1/members/{id}', 'Read a member of the tenant. Members who were removed can be read too.'),
    type: Member,
    authScopes: { audience: 'operator', scope: 'members:read' },
    args: { id: t.arg({ type: 'MemberId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => member(ctx, id, query),
  }),
  members: t.field({
    route: rest(
      'GET /v1/members',
      'List the members of the tenant, newest first. They are the same in both environments, and removed ones are included.',
    ),
    type: MemberPage,
    authScopes: { audience: 'operator', scope: 'members:read' },
    ...listed(t, members, {
      role: t.arg({ type: MemberRoleEnum, required: false, description: 'Only members with this role.' }),
      status: t.arg({ type: MemberStatusEnum, required: false, description: 'Only members in this status.' }),
    }),
  }),
}));

const changes = [NotFound, Forbidden, PersonRequired, StepUpRequired, LastOwner, MemberRemoved];

builder.mutationFields((t) => ({
  updateMember: t.field({
    route: rest(
      'PATCH /v1/members/{id}',
      'Change the role, the authority or the status of a member. Nobody gives or takes what he has not himself: keys change developers and viewers without authority, and all else is 403 `person_required` for them. People must have signed in within five minutes, else 403 `step_up_required`. The last active owner stays: 409 `state_conflict` with the reason `last_owner`. It emits `member.changed`.',
    ),
    type: Member,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { id: t.arg({ type: 'MemberId' }), input: t.arg({ type: UpdateMemberInput }) },
    ...facts({ errors: changes }),
    resolve: once((ctx, { id, input }) => updateMember(ctx, { ...input, id }), member),
  }),
  removeMember: t.field({
    route: rest(
      'DELETE /v1/members/{id}',
      'Remove a member from the tenant, for good. Sessions and pending invitations of the member end at once. Who may is as for changing a member, and the last active owner stays. It emits `member.removed`; again it changes nothing.',
    ),
    type: DeletedMember,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { id: t.arg({ type: 'MemberId' }) },
    ...facts({ errors: changes }),
    resolve: once((ctx, { id }) => removeMember(ctx, id), member),
  }),
  signOutMember: t.field({
    route: rest(
      'POST /v1/members/{id}/sign-out',
      'End every browser session of a member, in both environments and every process. The member may sign in again. Whoever may change the member may do it, and the member may.',
    ),
    type: Member,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { id: t.arg({ type: 'MemberId' }) },
    ...facts({ errors: [NotFound, Forbidden, PersonRequired] }),
    resolve: once((ctx, { id }) => signOutMember(ctx, id), member),
  }),
  recoverMember: t.field({
    route: rest(
      'POST /v1/members/{id}/recover',
      'Make a link at which a member who cannot sign in any more sets a new password. It is good for an hour, once, and ends all that the member signed in with before when it is used. It needs a person who signed in within five minutes and has all that the member has; keys are 403 `person_required`. The link is in this answer alone, and not even there where mail is configured.',
      { status: 201 },
    ),
    type: MemberRecovery,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { id: t.arg({ type: 'MemberId' }) },
    ...facts({ errors: [NotFound, Forbidden, PersonRequired, StepUpRequired, MemberRemoved] }),
    resolve: once<{ id: string }, Partial<IssuedRecovery> & Pick<IssuedRecovery, 'expiresAt'>>(
      (ctx, { id }) => recoverMember(ctx, id),
      recovery,
    ),
  }),
}));
