// The GraphQL face of invitations.
import { Forbidden, NotFound, PersonRequired } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { EmailTaken, NoOwner } from './errors.js';
import { authorityOf } from './grant.js';
import { CreateInvitationInput } from './invitation.input.js';
import {
  createInvitation,
  type InvitationStatus,
  type IssuedInvitation,
  invitation,
  invitationStatus,
  invitations,
  revokeInvitation,
} from './invitation.js';
import { MemberRoleEnum } from './member.input.js';
import { visiblePeople } from './member.js';
import { Authority } from './member.schema.js';
import { rest } from './rest.js';

const InvitationStatusEnum = builder.enumType('InvitationStatus', {
  description: '`pending`: the link is good. `accepted`: somebody joined by it. `expired`: its time has passed. `revoked`: it was ended.',
  values: ['pending', 'accepted', 'expired', 'revoked'] as const satisfies InvitationStatus[],
});

const Invitation = builder.prismaObject('Invitation', {
  description: 'A place in the tenant that somebody may take.',
  ...byId(rowsOf('invitation', visiblePeople)),
  fields: (t) => ({
    id: t.expose('id', { type: 'InvitationId' }),
    email: t.exposeString('email', { nullable: true, description: 'The e-mail of who is invited; null for the first owner, who says it.' }),
    role: t.expose('role', { type: MemberRoleEnum, description: 'What the person will be.' }),
    authority: t.field({
      type: Authority,
      nullable: true,
      wire: { orNull: true },
      description: 'Which approvals the person will decide; null: none.',
      resolve: authorityOf,
    }),
    status: t.field({
      type: InvitationStatusEnum,
      description: 'What has become of it.',
      resolve: (row, _args, ctx) => invitationStatus(row, ctx.platform.clock.now()),
    }),
    link: t.string({
      wire: { shown: false },
      nullable: true,
      description:
        'The link at which the person joins, shown only in the response that created it; null afterwards, and where it goes by mail.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedInvitation>).link ?? null,
    }),
    memberId: t.expose('memberId', {
      type: 'MemberId',
      nullable: true,
      description: 'The member who joined by it; null while nobody did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link ends by itself, by real time.' }),
  }),
});
const InvitationPage = pageOf(Invitation, 'Invitation');

const DeletedInvitation = builder.objectRef<{ id: string }>('DeletedInvitation').implement({
  description: 'An invitation that was ended.',
  fields: (t) => ({
    id: t.expose('id', { type: 'InvitationId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  invitation: t.prismaField({
    route: rest('GET /v1/invitations/{id}', 'Read an invitation, without its link. Those that were used or have ended can be read too.'),
    type: Invitation,
    authScopes: { audience: 'operator', scope: 'members:read' },
    args: { id: t.arg({ type: 'InvitationId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => invitation(ctx, id, query),
  }),
  invitations: t.field({
    route: rest(
      'GET /v1/invitations',
      'List the invitations of the tenant, newest first. Those that were used or have ended are included; links are never shown.',
    ),
    type: InvitationPage,
    authScopes: { audience: 'operator', scope: 'members:read' },
    ...listed(t, invitations, {}),
  }),
}));

builder.mutationFields((t) => ({
  createInvitation: t.field({
    route: rest(
      'POST /v1/invitations',
      'Invite somebody to the tenant. The link is in this answer alone, and not even there where mail is configured; an earlier invitation of the same e-mail ends. Nobody gives what he has not himself: keys invite developers and viewers without authority, and all else is 403 `person_required` for them. Owners, admins and finance are invited by people who signed in within five minutes, else 403 `step_up_required`.',
      { status: 201, also: ['link'] },
    ),
    type: Invitation,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { input: t.arg({ type: CreateInvitationInput }) },
    ...facts({ errors: [Forbidden, PersonRequired, StepUpRequired, EmailTaken, NoOwner] }),
    resolve: once((ctx, { input }) => createInvitation(ctx, input), invitation),
  }),
  revokeInvitation: t.field({
    route: rest(
      'DELETE /v1/invitations/{id}',
      'End a pending invitation, so that nobody joins by its link. Whoever could have made it may do it. One that was used or has ended already stays as it is.',
    ),
    type: DeletedInvitation,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { id: t.arg({ type: 'InvitationId' }) },
    ...facts({ errors: [NotFound, Forbidden, PersonRequired] }),
    resolve: once((ctx, { id }) => revokeInvitation(ctx, id), invitation),
  }),
}));
