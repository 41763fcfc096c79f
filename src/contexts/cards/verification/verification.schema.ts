// The GraphQL face of verifications of agents for payments at card networks.
import type { CardVerification } from '../../../generated/prisma/client.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { postingErrors } from '../../spending/pipeline/refusal.js';
import type { CardNetworkName } from '../../transfers/rail.js';
import { CardNumberRefused } from '../errors.js';
import { rest } from '../rest.js';
import type { Misfit } from './bot-identity.js';
import { botProfileText } from './bot-profile.js';
import { CardNetworkEnum, VerifyCardInput } from './verification.input.js';
import { cardVerification, type RejectionReason, rejectionReasons, verifyCard } from './verification.js';

const RejectionReasonEnum = builder.enumType('CardRejectionReason', {
  description: 'Why a signed payment was not verified.',
  values: rejectionReasons,
});

const Rejection = builder.objectRef<Misfit>('CardRejectionDetails').implement({
  description: 'Which part of what was signed does not fit.',
  fields: (t) => ({
    part: t.exposeString('part', {
      description: 'encoding, header, claims, signature_input, key, agent, signature, time or intent: the first that does not fit.',
    }),
    message: t.exposeString('message', { description: 'What is wrong with it.' }),
    expected: t.string({
      nullable: true,
      description: 'What would have fitted. In the sandbox alone.',
      resolve: ({ expected }) => expected ?? null,
    }),
    received: t.string({ nullable: true, description: 'What came. In the sandbox alone.', resolve: ({ received }) => received ?? null }),
  }),
});

const CardVerificationResult = builder.objectRef<CardVerification>('CardVerificationResult').implement({
  description: 'Whether an agent has signed a payment and may make it.',
  fields: (t) => ({
    verified: t.boolean({
      description: 'True where the signature is valid and the limits allow the payment.',
      resolve: ({ rejectionReason }) => rejectionReason === null,
    }),
    network: t.field({ type: CardNetworkEnum, nullable: true, resolve: ({ network }) => network as CardNetworkName | null }),
    networkRef: t.field({
      type: 'CardNetworkRef',
      nullable: true,
      description: 'Reference for one authorization, given as `payload.network_ref`; null where it is not verified.',
      resolve: ({ id, rejectionReason }) => (rejectionReason === null ? id : null),
    }),
    profile: t.string({
      nullable: true,
      description: `By which profile it was signed, where it is verified: ${botProfileText}`,
      resolve: ({ profile, rejectionReason }) => (rejectionReason === null ? profile : null),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the reference can be used; null where it is not verified.',
    }),
    rejectionReason: t.field({
      type: RejectionReasonEnum,
      nullable: true,
      description: 'Why it is not verified.',
      resolve: ({ rejectionReason }) => rejectionReason as RejectionReason | null,
    }),
    rejectionDetails: t.field({
      type: Rejection,
      nullable: true,
      description: 'Of bad_signature, expired and intent_mismatch: which part does not fit.',
      resolve: ({ rejectionDetails }) => rejectionDetails as Misfit | null,
    }),
  }),
});

builder.mutationField('verifyCard', (t) =>
  t.field({
    route: rest(
      'POST /v1/cards/verify',
      'Verify that an agent signed a card payment and may make it. A payment that is not verified is a 200 with its reason, not an error. The reference in the answer is valid for 15 minutes and one authorization.',
    ),
    type: CardVerificationResult,
    authScopes: { audience: 'any', scope: 'cards:read' },
    args: { input: t.arg({ type: VerifyCardInput }) },
    ...facts({ errors: [CardNumberRefused, ...postingErrors] }),
    resolve: once((ctx, { input }) => verifyCard(ctx, input), cardVerification),
  }),
);
