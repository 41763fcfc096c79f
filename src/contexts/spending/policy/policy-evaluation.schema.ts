// The GraphQL face of asking what a spend would be answered.
import { CurrencyMismatch, NotFound } from '../../../platform/errors.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { DecisionType } from '../pipeline/decision.schema.js';
import { NotYourWallet } from '../pipeline/pipeline.js';
import { rest } from '../rest.js';
import { EvaluateSpendInput } from './policy-evaluation.input.js';
import { evaluateSpend } from './policy-evaluation.js';

builder.mutationField('evaluateSpend', (t) =>
  t.field({
    route: rest(
      'POST /v1/policies/evaluate',
      'Evaluate a spend without making it: caps, policies, budgets and the balance. Nothing is changed or reserved. A refusal is part of the answer; a faulty request is an error.',
    ),
    type: DecisionType,
    authScopes: { audience: 'any', scope: 'policies:read' },
    args: { input: t.arg({ type: EvaluateSpendInput }) },
    ...facts({ effect: 'none', errors: [NotFound, CurrencyMismatch, NotYourWallet] }),
    resolve: (_root, { input }, ctx) => evaluateSpend(ctx, input),
  }),
);
