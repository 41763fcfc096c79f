// The GraphQL face of the kill switch.
import { z } from 'zod';
import { StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { freezeSpending, type KillSwitch, spending, unfreezeSpending } from './kill-switch.js';

const Spending = builder.objectRef<KillSwitch>('Spending').implement({
  description: 'Whether anything may be spent in the workspace. While it is frozen money comes in and what was held goes back.',
  fields: (t) => ({
    frozen: t.exposeBoolean('frozen'),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was frozen, if it is and somebody said.' }),
    since: t.expose('since', { type: 'DateTime', nullable: true, description: 'When it was frozen.' }),
  }),
});

const FreezeSpendingInput = builder.inputType('FreezeSpendingInput', {
  fields: (t) => ({ reason: t.string({ required: false, validate: z.string().max(500) }) }),
});

builder.queryFields((t) => ({
  spending: t.field({
    route: rest('GET /v1/spending', 'Read whether the whole workspace may spend.'),
    type: Spending,
    description: 'The kill switch of the workspace, for everybody who might spend.',
    resolve: (_root, _args, ctx) => spending(ctx),
  }),
}));

builder.mutationFields((t) => ({
  freezeSpending: t.field({
    route: rest('POST /v1/spending/freeze', 'Stop all spending of the workspace. Money still comes in, and what was held can go back.'),
    type: Spending,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: FreezeSpendingInput }) },
    ...facts({ errors: [StateConflict] }),
    resolve: once((ctx, { input }) => freezeSpending(ctx, input.reason ?? null), spending),
  }),
  unfreezeSpending: t.field({
    route: rest('POST /v1/spending/unfreeze', 'Let the workspace spend again.'),
    type: Spending,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: FreezeSpendingInput }) },
    ...facts({ errors: [StateConflict] }),
    resolve: once((ctx) => unfreezeSpending(ctx), spending),
  }),
}));
