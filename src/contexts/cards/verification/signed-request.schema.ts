// The GraphQL face of signed requests that sellers ask about.
import { builder, facts } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { botProfileText } from './bot-profile.js';
import { VerifySignatureInput } from './signed-request.input.js';
import { type SignedRequest, signatureReasons, verifySignedRequest } from './signed-request.js';

const OutcomeEnum = builder.enumType('SignatureOutcome', {
  description: 'What a signature proves.',
  values: {
    verified: { description: 'It is that of an agent of the platform, over these parts of the request.' },
    invalid: { description: 'It is not what it says: refuse the request.' },
    unverified: { description: 'Nothing is known about it: the request is as good as one without a signature.' },
  },
});

const ReasonEnum = builder.enumType('SignatureReason', {
  description: 'Why a signature is not verified.',
  values: signatureReasons,
});

const SignatureResult = builder.objectRef<SignedRequest>('SignatureResult').implement({
  description: 'Who signed a request.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: OutcomeEnum, description: 'What it proves.' }),
    reason: t.expose('reason', { type: ReasonEnum, nullable: true, description: 'Why it is not verified.' }),
    profile: t.exposeString('profile', { nullable: true, description: `By which profile it was signed: ${botProfileText}` }),
    keyId: t.exposeString('keyId', { nullable: true, description: 'The `keyid` of the signature.' }),
    signatureAgent: t.exposeString('signatureAgent', {
      nullable: true,
      description: 'The address of the keys of the signer, as the signature covers it.',
    }),
    tag: t.exposeString('tag', { nullable: true, description: 'The `tag` of the signature.' }),
    covers: t.exposeStringList('covers', {
      description:
        'The parts of the request that were signed, as the signature lists them. Whatever is not among them anybody may have changed.',
    }),
    agentId: t.field({
      type: 'AgentId',
      nullable: true,
      description: 'The agent that signed; null where it is not verified.',
      resolve: ({ agentId }) => agentId,
    }),
  }),
});

builder.mutationField('verifySignature', (t) =>
  t.field({
    route: rest(
      'POST /v1/signatures/verify',
      'Verify which agent signed a request that you got (Web Bot Auth, TAP). The key is that of the agent of the platform that `Signature-Agent` names by our directory, or that of `keyid`: its thumbprint, or the id of a key of yours. Nothing is fetched. A nonce counts once, so ask once for each request. It moves nothing, and lets nobody in.',
    ),
    type: SignatureResult,
    authScopes: { audience: 'any', scope: 'cards:read' },
    args: { input: t.arg({ type: VerifySignatureInput }) },
    ...facts({ effect: 'none' }),
    resolve: (_root, { input }, ctx) => verifySignedRequest(ctx, input),
  }),
);
