// The GraphQL face of passkeys.
import { SignInFailed } from '../../platform/credential.js';
import { Forbidden, NotFound, PersonRequired } from '../../platform/errors.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { EmailTaken, LastMethod } from './errors.js';
import { PasskeyInput, PasskeyOptionsInput, PasskeyPurposeEnum } from './passkey.input.js';
import { deletePasskey, mostPasskeys, ownPasskeys, passkeyOptions, usePasskey } from './passkey.js';
import { rest } from './rest.js';
import { SignInType } from './sign-in.schema.js';

const PasskeyOptions = builder.objectRef<{ purpose: PasskeyOptionsInput['purpose']; options: object }>('PasskeyOptions').implement({
  description: 'What a browser hands to its authenticator, once, within five minutes.',
  fields: (t) => ({
    purpose: t.expose('purpose', { type: PasskeyPurposeEnum, description: 'What the passkey is for.' }),
    options: t.field({
      type: 'JSON',
      description: 'The options of `navigator.credentials.get` or `create`, in the JSON form of WebAuthn.',
      extensions: { secret: true },
      resolve: ({ options }) => options,
    }),
  }),
});

const Passkey = builder.prismaObject('Passkey', {
  description: 'A passkey of a person, which signs in alone.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PasskeyId' }),
    name: t.exposeString('name', { description: 'What the person calls it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person last signed in with it; null while that was never.',
    }),
  }),
});

const DeletedPasskey = builder.objectRef<{ id: string }>('DeletedPasskey').implement({
  description: 'A passkey that signs in no more.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PasskeyId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  passkeys: t.field({
    route: rest('GET /v1/me/passkeys', 'List your own passkeys, newest first. Only a person has any, so the list is empty for programs.'),
    type: [Passkey],
    authScopes: { audience: 'operator', scope: 'self' },
    ...facts({ most: mostPasskeys }),
    resolve: (_root, _args, ctx) => ownPasskeys(ctx),
  }),
}));

const open = { authScopes: { audience: 'public' }, skipTypeScopes: true } as const;

builder.mutationFields((t) => ({
  passkeyOptions: t.field({
    route: rest(
      'POST /v1/login/passkey/options',
      'Ask what an authenticator is to sign, for one of four purposes. The answer goes to `navigator.credentials.get`, for `join` and `add` to `create`. It is good once, for five minutes; `join` needs the token of a link, `step_up` and `add` a person who is signed in.',
    ),
    type: PasskeyOptions,
    ...open,
    args: { input: t.arg({ type: PasskeyOptionsInput }) },
    ...facts({ rateClass: 'login', errors: [SignInFailed, Forbidden, PersonRequired, StepUpRequired] }),
    resolve: (_root, { input }, ctx) => passkeyOptions(ctx, input),
  }),
  usePasskey: t.field({
    route: rest(
      'POST /v1/login/passkey',
      'Sign in, join, step up or add a passkey, by what an authenticator has signed. The answer sets the cookie of a new browser session. Whatever is wrong with what was signed is 401 `sign_in_failed`: another origin, another challenge, a user who was not verified, a count that fell.',
    ),
    type: SignInType,
    ...open,
    args: { input: t.arg({ type: PasskeyInput }) },
    ...facts({ rateClass: 'login', errors: [SignInFailed, Forbidden, PersonRequired, StepUpRequired, EmailTaken, LastMethod] }),
    resolve: (_root, { input }, ctx) => usePasskey(ctx, input),
  }),
  deletePasskey: t.field({
    route: rest(
      'DELETE /v1/me/passkeys/{id}',
      'Forget a passkey of yours. You must have signed in within five minutes, else 403 `step_up_required`. The last thing that you sign in with stays: 409 `state_conflict` with the reason `last_method`.',
    ),
    type: DeletedPasskey,
    authScopes: { audience: 'operator', scope: 'self' },
    args: { id: t.arg({ type: 'PasskeyId' }) },
    ...facts({ effect: 'none', errors: [NotFound, StepUpRequired, LastMethod] }),
    resolve: (_root, { id }, ctx) => deletePasskey(ctx, id),
  }),
}));
