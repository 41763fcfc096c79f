// The GraphQL face of the kill switch.
import { z } from 'zod';
import { StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { freezeSpending, type KillSwitch, spending, unfreezeSpending } from './kill-switch.js';

const Spending = builder.objectRef<KillSwitch>('Spending').implement({
  description: 'Whether spending is frozen in the workspace. While it is, money still comes in and held money can go back.',
  fields: (t) => ({
    frozen: t.exposeBoolean('frozen', { description: 'True while nothing can be spent in the workspace.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it was frozen; null while it is not, or where no reason was given.',
    }),
    since: t.expose('since', { type: 'DateTime', nullable: true, description: 'When it was frozen; null while it is not.' }),
  }),
});

const FreezeSpendingInput = builder.inputType('FreezeSpendingInput', {
  description: 'Why spending is frozen or unfrozen.',
  fields: (t) => ({
    reason: t.string({ required: false, description: 'Why; shown to everybody who may spend.', validate: z.string().max(500) }),
  }),
});

builder.queryFields((t) => ({
  spending: t.field({
    route: rest('GET /v1/spending', 'Read whether spending is frozen in the workspace. Everybody who may spend can ask.'),
    type: Spending,
    authScopes: { audience: 'any', scope: 'policies:read' },
    resolve: (_root, _args, ctx) => spending(ctx),
  }),
}));

builder.mutationFields((t) => ({
  freezeSpending: t.field({
    route: rest(
      'POST /v1/spending/freeze',
      'Freeze all spending of the workspace: the kill switch. Once this is answered nothing more is spent; money still comes in and held money can go back. Needs an API key; a workspace that is frozen already is 409.',
    ),
    type: Spending,
    authScopes: { audience: 'api_key', scope: 'freeze:write' },
    args: { input: t.arg({ type: FreezeSpendingInput }) },
    ...facts({ errors: [StateConflict] }),
    resolve: once((ctx, { input }) => freezeSpending(ctx, input.reason ?? null), spending),
  }),
  unfreezeSpending: t.field({
    route: rest(
      'POST /v1/spending/unfreeze',
      'Let the workspace spend again. Streams that were paused stay paused until they are resumed. Needs an API key; a workspace that is not frozen is 409.',
    ),
    type: Spending,
    authScopes: { audience: 'api_key', scope: 'policies:write' },
    args: { input: t.arg({ type: FreezeSpendingInput }) },
    ...facts({ errors: [StateConflict] }),
    resolve: once((ctx) => unfreezeSpending(ctx), spending),
  }),
}));
