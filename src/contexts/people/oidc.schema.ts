// The GraphQL face of signing in at the identity provider of a company. Where browsers come back to is a door.
import { SignInFailed } from '../../platform/credential.js';
import { Forbidden, PersonRequired } from '../../platform/errors.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { OidcRoundInput } from './oidc.input.js';
import { beginOidc } from './oidc.js';
import { rest } from './rest.js';

const OidcRound = builder.objectRef<{ redirectTo: string }>('OidcRound').implement({
  description: 'A round to the identity provider of a company, good once, in this browser, for ten minutes.',
  fields: (t) => ({
    redirectTo: t.exposeString('redirectTo', {
      description: 'Where the browser goes to sign in. It comes back to `/v1/login/oidc/{slug}/callback`.',
      extensions: { secret: true },
    }),
  }),
});

// Gap G-512: `POST /v1/login/oidc` begins a round: to join by a link, to step up, to add the provider to what one has, to sign in.
builder.mutationField('beginOidc', (t) =>
  t.field({
    route: rest(
      'POST /v1/login/oidc',
      'Begin a round to the identity provider of a company, for one of four purposes. The answer says where the browser goes, and gives it a cookie without which nothing comes of the round. A tenant that has no provider, or one that does not answer, is 401 `sign_in_failed`, as a used link is.',
    ),
    type: OidcRound,
    authScopes: { audience: 'public' },
    skipTypeScopes: true,
    args: { input: t.arg({ type: OidcRoundInput }) },
    ...facts({ rateClass: 'login', errors: [SignInFailed, Forbidden, PersonRequired, StepUpRequired] }),
    resolve: (_root, { input }, ctx) => beginOidc(ctx, input),
  }),
);
