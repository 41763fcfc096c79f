// The GraphQL face of verifications of agents for payments at card networks.
import type { CardVerification } from '../../../generated/prisma/client.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { postingErrors } from '../../spending/pipeline/refusal.js';
import type { CardNetworkName } from '../../transfers/rail.js';
import { CardNumberRefused } from '../errors.js';
import { rest } from '../rest.js';
import { CardNetworkEnum, VerifyCardInput } from './verification.input.js';
import { cardVerification, type RejectionReason, rejectionReasons, verifyCard } from './verification.js';

const RejectionReasonEnum = builder.enumType('CardRejectionReason', { values: rejectionReasons });

const CardVerificationResult = builder.objectRef<CardVerification>('CardVerificationResult').implement({
  description: 'Whether an agent has signed for a payment, and may make it.',
  fields: (t) => ({
    verified: t.boolean({ resolve: ({ rejectionReason }) => rejectionReason === null }),
    network: t.field({ type: CardNetworkEnum, nullable: true, resolve: ({ network }) => network as CardNetworkName | null }),
    networkRef: t.field({
      type: 'CardNetworkRef',
      nullable: true,
      description: 'What one authorization of the payment names as `payload.network_ref`.',
      resolve: ({ id, rejectionReason }) => (rejectionReason === null ? id : null),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'Until when the reference can be used.' }),
    rejectionReason: t.field({
      type: RejectionReasonEnum,
      nullable: true,
      description: 'Why it is not verified.',
      resolve: ({ rejectionReason }) => rejectionReason as RejectionReason | null,
    }),
  }),
});

builder.mutationField('verifyCard', (t) =>
  t.field({
    route: rest(
      'POST /v1/cards/verify',
      'Verify that an agent has signed for a payment by card, and may make it. A payment that is not verified is a 200 with the reason.',
    ),
    type: CardVerificationResult,
    args: { input: t.arg({ type: VerifyCardInput }) },
    ...facts({ errors: [CardNumberRefused, ...postingErrors] }),
    resolve: once((ctx, { input }) => verifyCard(ctx, input), cardVerification),
  }),
);
