// The GraphQL face of signing in, of browser sessions, and of what a person sets for himself.

import type { Login } from '../../generated/prisma/client.js';
import { SignInFailed } from '../../platform/credential.js';
import { Forbidden, NotFound, Overloaded, PersonRequired } from '../../platform/errors.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { EnvironmentEnum } from '../identity/api-key.input.js';
import { EmailTaken } from './errors.js';
import { join } from './join.js';
import { csrfTokenOf, endLogin, mostLogins, ownLogins, type SignIn } from './login.js';
import { Member, SignInMethodEnum } from './member.schema.js';
import { setPassword } from './my-password.js';
import { requestRecovery } from './recovery.js';
import { rest } from './rest.js';
import { JoinInput, RecoverInput, SetPasswordInput, SignInInput, StepUpInput, SwitchTenantInput } from './sign-in.input.js';
import { signIn, stepUp, switchTenant } from './sign-in.js';

const SignInTenant = builder.objectRef<{ id: string; name: string }>('SignInTenant').implement({
  description: 'A tenant of the person.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the tenant, for `POST /v1/sessions/switch`.' }),
    name: t.exposeString('name', { description: 'What the tenant is called.' }),
  }),
});

export const SignInType = builder.objectRef<SignIn>('SignIn').implement({
  description: 'Somebody signed in. The browser has been given the cookie of the session beside this answer.',
  fields: (t) => ({
    member: t.field({ type: Member, wire: { shown: true }, description: 'Who signed in.', resolve: ({ member }) => member }),
    tenantId: t.exposeString('tenantId', { description: 'The tenant of the session.' }),
    environment: t.expose('environment', { type: EnvironmentEnum, description: 'The environment of the session, that of this address.' }),
    csrfToken: t.exposeString('csrfToken', {
      description: 'To send as `X-CSRF-Token` with whatever is not GET; `GET /v1/me` shows it again.',
      extensions: { secret: true },
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the session ends at the latest; an hour without use ends it too.',
    }),
    tenants: t.field({
      type: [SignInTenant],
      description: 'The tenants in which the same sign-in holds, this one among them.',
      ...facts({ most: 50, embedded: true }),
      resolve: ({ tenants }) => tenants,
    }),
  }),
});

export const BrowserSession = builder.objectRef<Login>('BrowserSession').implement({
  description: 'A browser in which a person is signed in.',
  fields: (t) => ({
    id: t.expose('id', { type: 'LoginId' }),
    current: t.boolean({
      description: 'True for the session that asks.',
      resolve: ({ id }, _args, { actor }) => actor.credential.id === id,
    }),
    csrfToken: t.string({
      nullable: true,
      description: 'To send as `X-CSRF-Token` with whatever is not GET; null for sessions other than the one that asks.',
      extensions: { secret: true },
      resolve: ({ id }, _args, { actor, platform }) => (actor.credential.id === id ? csrfTokenOf(platform, id) : null),
    }),
    environment: t.expose('environment', { type: EnvironmentEnum, description: 'The environment in which it is good.' }),
    method: t.expose('method', { type: SignInMethodEnum, description: 'How it began.' }),
    signedInAt: t.expose('signedInAt', { type: 'DateTime', description: 'When the person last signed in or stepped up.' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', description: 'When it was last used, to the minute.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends at the latest.' }),
    ip: t.exposeString('ip', { description: 'The address from which it began.' }),
    userAgent: t.exposeString('userAgent', { nullable: true, description: 'What the browser called itself; null where it said nothing.' }),
  }),
});

const EndedBrowserSession = builder.objectRef<{ id: string }>('EndedBrowserSession').implement({
  description: 'A browser session that was signed out.',
  fields: (t) => ({
    id: t.expose('id', { type: 'LoginId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

const RequestedRecovery = builder.objectRef<{ accepted: true }>('RequestedRecovery').implement({
  description: 'A request for a recovery link, which says nothing of whether there is such a person.',
  fields: (t) => ({ accepted: t.exposeBoolean('accepted', { description: 'Always true.' }) }),
});

const SetPassword = builder.objectRef<{ changedAt: Date }>('PasswordChange').implement({
  description: 'A password that was set.',
  fields: (t) => ({ changedAt: t.expose('changedAt', { type: 'DateTime', description: 'When it was set.' }) }),
});

builder.queryFields((t) => ({
  browserSessions: t.field({
    route: rest(
      'GET /v1/sessions',
      'List your own live browser sessions, newest first. Only a person has any, so the list is empty for programs.',
    ),
    type: [BrowserSession],
    authScopes: { audience: 'operator', scope: 'self' },
    ...facts({ most: mostLogins }),
    resolve: (_root, _args, ctx) => ownLogins(ctx),
  }),
}));

const open = { authScopes: { audience: 'public' }, skipTypeScopes: true } as const;

builder.mutationFields((t) => ({
  join: t.field({
    route: rest(
      'POST /v1/login/join',
      'Join a tenant by the link of an invitation, or set a new password by a recovery link. The link is used up, and the browser is signed in. A link that is unknown, used, ended or expired is 401 `sign_in_failed`.',
      { status: 201 },
    ),
    type: SignInType,
    ...open,
    args: { input: t.arg({ type: JoinInput }) },
    ...facts({ rateClass: 'login', errors: [SignInFailed, Forbidden, EmailTaken, Overloaded] }),
    resolve: (_root, { input }, ctx) => join(ctx, input),
  }),
  signIn: t.field({
    route: rest(
      'POST /v1/login/sign-in',
      'Sign in with e-mail and password. The answer sets the cookie of a new browser session, for this environment. An unknown e-mail, a wrong password and a suspended member are all 401 `sign_in_failed`, after the same work; after ten failures within an hour every further one for the e-mail is 429.',
    ),
    type: SignInType,
    ...open,
    args: { input: t.arg({ type: SignInInput }) },
    ...facts({ rateClass: 'login', errors: [SignInFailed, Forbidden, Overloaded] }),
    resolve: (_root, { input }, ctx) => signIn(ctx, input),
  }),
  stepUp: t.field({
    route: rest(
      'POST /v1/login/step-up',
      'Sign in once more, before what asks for it with 403 `step_up_required`. A new browser session takes the place of the one that asks, with a new cookie and a new `csrf_token`. A wrong password is 401 `sign_in_failed`.',
    ),
    type: SignInType,
    authScopes: { audience: 'operator', scope: 'self' },
    args: { input: t.arg({ type: StepUpInput }) },
    ...facts({ rateClass: 'login', effect: 'none', errors: [SignInFailed, PersonRequired, Forbidden, Overloaded] }),
    resolve: (_root, { input }, ctx) => stepUp(ctx, input),
  }),
  requestRecovery: t.field({
    route: rest(
      'POST /v1/login/recover',
      'Ask for a recovery link by mail, having lost the password. The answer is always the same: nobody is told whether there is such a person. Without mail a member of the tenant makes the link with `POST /v1/members/{id}/recover`.',
      { status: 202 },
    ),
    type: RequestedRecovery,
    ...open,
    args: { input: t.arg({ type: RecoverInput }) },
    ...facts({ rateClass: 'login' }),
    resolve: (_root, { input }, ctx) => requestRecovery(ctx, input.email),
  }),
  endBrowserSession: t.field({
    route: rest(
      'DELETE /v1/sessions/{id}',
      'Sign out: end one of your browser sessions, at once and in every process. `current` names the one that asks. Anything else than a live session of yours is 404.',
    ),
    type: EndedBrowserSession,
    authScopes: { audience: 'operator', scope: 'self' },
    args: { id: t.arg.string({ description: 'The id of the session, or `current`.' }) },
    ...facts({ effect: 'none', errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => endLogin(ctx, id),
  }),
  switchTenant: t.field({
    route: rest(
      'POST /v1/sessions/switch',
      'Go on in another tenant of yours. A new browser session takes the place of the one that asks, with a new cookie and a new `csrf_token`. A tenant in which the sign-in of this session did not hold is 404.',
    ),
    type: SignInType,
    authScopes: { audience: 'operator', scope: 'self' },
    args: { input: t.arg({ type: SwitchTenantInput }) },
    ...facts({ effect: 'none', errors: [PersonRequired, Forbidden, NotFound] }),
    resolve: (_root, { input }, ctx) => switchTenant(ctx, input.tenantId),
  }),
  setPassword: t.field({
    route: rest(
      'PUT /v1/me/password',
      'Set your password. You must have signed in within five minutes, else 403 `step_up_required`. All your other browser sessions end.',
    ),
    type: SetPassword,
    authScopes: { audience: 'operator', scope: 'self' },
    args: { input: t.arg({ type: SetPasswordInput }) },
    ...facts({ effect: 'none', errors: [PersonRequired, StepUpRequired, Overloaded] }),
    resolve: (_root, { input }, ctx) => setPassword(ctx, input),
  }),
}));
