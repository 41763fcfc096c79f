// The GraphQL face of how people sign in.
import { Forbidden, PersonRequired } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { LastOwner, SlugTaken } from './errors.js';
import type { OidcClient } from './oidc-client.js';
import { rest } from './rest.js';
import { SignInSettingsInput, SignInWayEnum } from './sign-in-setting.input.js';
import { type SignInSettings, setSignInSettings, signInSettings } from './sign-in-setting.js';

const OidcProvider = builder.objectRef<OidcClient>('OidcProvider').implement({
  description: 'The identity provider of the company. The secret of the client is never shown.',
  fields: (t) => ({
    issuer: t.exposeString('issuer', { description: 'The provider, as it calls itself.' }),
    clientId: t.exposeString('clientId', { description: 'By which the provider knows the platform.' }),
  }),
});

const SignInSettingsType = builder.objectRef<SignInSettings>('SignInSettings').implement({
  description: 'How people sign in to the tenant, in both environments.',
  fields: (t) => ({
    slug: t.exposeString('slug', {
      nullable: true,
      wire: { orNull: true },
      description: 'What the tenant is called in the addresses of its sign-in; null: it has none of its own.',
    }),
    methods: t.field({
      type: [SignInWayEnum],
      description: 'With what people sign in.',
      ...facts({ most: 4, embedded: true }),
      resolve: ({ methods }) => methods,
    }),
    idleSeconds: t.exposeInt('idleSeconds', { description: 'How long a browser session lives without use.' }),
    absoluteSeconds: t.exposeInt('absoluteSeconds', { description: 'How long a browser session lives at most.' }),
    oidc: t.field({
      type: OidcProvider,
      nullable: true,
      wire: { orNull: true },
      description: 'The identity provider of the company; null: none.',
      resolve: ({ oidc }) => oidc,
    }),
  }),
});

// Gap G-511: `GET /v1/sign-in` is open to `members:read`, for no secret is in it; owners alone change it.
builder.queryField('signInSettings', (t) =>
  t.field({
    route: rest(
      'GET /v1/sign-in',
      'Read how people sign in to the tenant. Until somebody says it: with a password, a passkey or an API key.',
      {
        name: 'getSignInSettings',
      },
    ),
    type: SignInSettingsType,
    authScopes: { audience: 'operator', scope: 'members:read' },
    resolve: (_root, _args, ctx) => signInSettings(ctx),
  }),
);

builder.mutationField('setSignInSettings', (t) =>
  t.field({
    route: rest(
      'PUT /v1/sign-in',
      'Say how people sign in to the tenant. Owners do, who signed in within five minutes; keys are 403 `person_required`. A method that is off signs nobody in, and ends the sessions that it began. Settings by which no owner could sign in are 409 `state_conflict` with the reason `last_owner`. The provider is asked for its configuration when it is new.',
    ),
    type: SignInSettingsType,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { input: t.arg({ type: SignInSettingsInput }) },
    ...facts({ errors: [Forbidden, PersonRequired, StepUpRequired, LastOwner, SlugTaken] }),
    resolve: once((ctx, { input }) => setSignInSettings(ctx, input), signInSettings),
  }),
);
