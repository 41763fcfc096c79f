// The inputs of card verifications.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';
import { cardNetworks } from '../../transfers/rail.js';

const identity =
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNGsifQ.eyJhZ2VudF9pZCI6IjAxOTdkMGEwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMSIsImludGVudF9oYXNoIjoicG1lcGkzcEljakp1X2h0NXJxaFJQeGhsZk1ESEU1N2VzWHYzWFhwdzY1OCIsIm5vbmNlIjoiYm05dVkyVXRNUSIsImlhdCI6MTc5NTQ1NjgwMCwiZXhwIjoxNzk1NDU3MTAwLCJ0YWciOiJhZ2VudC1wYXllci1hdXRoIn0.nF7nunrWrJnlP5rafnUCbMqj0alrxYRpZGvwJFh2hSixKAFP7bRr8oPOkX2x9fGw56S4HHfftevBWTNmGhw6BQ';

/** Signed with the key of RFC 8037, appendix A; test/contexts/cards/verify-card.test.ts verifies it as it is printed. */
const identityText = `A compact JWS of the intent, or base64 of JSON with the fields of an HTTP message signature (RFC 9421, Web Bot Auth).

The JWS has the header \`{"alg": "EdDSA", "kid"?}\`; \`kid\` is the JWK thumbprint of the active key of the agent, or its id. Its payload has
exactly these claims: \`agent_id\`, that of the request; \`intent_hash\`, base64url of the SHA-256 of \`transaction_intent\` as canonical JSON
(RFC 8785); \`nonce\`, 1 to 256 characters that are used once; \`iat\` and \`exp\`, whole seconds of real time at most 480 apart; \`tag\`,
\`"agent-payer-auth"\`.

For the intent \`{"amount":"42.00","currency":"USD","merchant_id":"shop-4711"}\`, the key of RFC 8037
(\`{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}\`) and the payload
\`{"agent_id":"0197d0a0-0000-7000-8000-000000000001","intent_hash":"pmepi3pIcjJu_ht5rqhRPxhlfMDHE57esXv3XXpw658","nonce":"bm9uY2UtMQ","iat":1795456800,"exp":1795457100,"tag":"agent-payer-auth"}\`
it is

\`${identity}\`

\`rejection_details\` says which part does not fit.`;

export const CardNetworkEnum = builder.enumType('CardNetwork', { description: 'A card network.', values: cardNetworks });

export const TransactionIntentInput = builder.inputType('TransactionIntentInput', {
  description: 'The payment that the agent signed, member by member as it was signed.',
  fields: (t) => ({
    merchantId: t.string({
      validate: z.string().min(1).max(255),
      description: "The merchant: one of ours (mer_...), or the network's name of it.",
    }),
    amount: t.field({ type: 'Amount', description: 'What is paid, in `currency`, as it was signed.' }),
    currency: t.field({ type: 'Currency' }),
    description: t.string({ required: false, description: 'Text that was signed.', validate: z.string().max(1_000) }),
  }),
});
export type TransactionIntentInput = typeof TransactionIntentInput.$inferInput;

export const VerifyCardInput = builder.inputType('VerifyCardInput', {
  description: 'A signed payment to verify.',
  extensions: {
    example: {
      agent_id: '0197d0a0-0000-7000-8000-000000000001',
      transaction_intent: { amount: '42.00', currency: 'USD', merchant_id: 'shop-4711' },
      signed_bot_identity: identity,
    },
  },
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that signed.' }),
    network: t.field({
      type: CardNetworkEnum,
      required: false,
      description: 'The card network; by default the first that the workspace is enrolled with.',
    }),
    transactionIntent: t.field({ type: TransactionIntentInput, description: 'The payment that was signed.' }),
    signedBotIdentity: t.string({
      validate: z.string().min(1).max(16_384),
      description: identityText,
    }),
  }),
});
export type VerifyCardInput = typeof VerifyCardInput.$inferInput;
