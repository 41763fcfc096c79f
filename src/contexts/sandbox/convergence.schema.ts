// The GraphQL face of convergence.
import { TestModeOnly } from '../../platform/errors.js';
import { currencies } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { type Convergence, convergence, mostOfKind } from './convergence.js';
import { mostOpenTypes } from './convergence.sql.js';
import { rest } from './rest.js';

const OpenThing = builder.objectRef<Convergence['open'][number]>('OpenThing').implement({
  description: 'Something that ends by itself, and has not.',
  fields: (t) => ({ type: t.exposeString('type'), id: t.exposeString('id'), status: t.exposeString('status') }),
});

const Mismatch = builder.objectRef<Convergence['mismatches'][number]>('Mismatch').implement({
  description: 'Books that do not agree.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'trial_balance, ledger_only, rail_only, amount_mismatch, or duplicate: several lines of one reference.',
    }),
    id: t.exposeString('id', { description: 'The reference of the lines, or the currency.' }),
    expected: t.exposeString('expected', { wire: { orNull: true }, nullable: true, description: 'What the ledger says.' }),
    actual: t.exposeString('actual', { wire: { orNull: true }, nullable: true, description: 'What the statement says.' }),
  }),
});

const ConvergenceObject = builder.objectRef<Convergence>('Convergence').implement({
  description: 'Whether everything in the sandbox has come to its end, and the books agree.',
  fields: (t) => ({
    converged: t.exposeBoolean('converged'),
    open: t.expose('open', {
      type: [OpenThing],
      description: 'What is on its way: of each type 100 at most.',
      ...facts({ most: mostOpenTypes * mostOfKind }),
    }),
    mismatches: t.expose('mismatches', { type: [Mismatch], ...facts({ most: mostOfKind + currencies.length }) }),
    checkedAt: t.expose('checkedAt', { type: 'DateTime' }),
  }),
});

builder.queryField('convergence', (t) =>
  t.field({
    route: rest('GET /v1/test/convergence', 'Whether everything in the sandbox has come to its end, and the books agree.', { body: true }),
    type: ConvergenceObject,
    authScopes: { audience: 'operator' },
    ...facts({ errors: [TestModeOnly] }),
    resolve: (_root, _args, ctx) => convergence(ctx),
  }),
);
