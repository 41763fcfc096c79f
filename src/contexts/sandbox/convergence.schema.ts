// The GraphQL face of convergence.
import { TestModeOnly } from '../../platform/errors.js';
import { currencies } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { type Convergence, convergence, mostOfKind } from './convergence.js';
import { mostOpenTypes } from './convergence.sql.js';
import { rest } from './rest.js';

const OpenThing = builder.objectRef<Convergence['open'][number]>('OpenThing').implement({
  description: 'Something that will end by itself, and has not.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'What it is, such as `payout`.' }),
    id: t.exposeString('id', { description: 'Its identifier.' }),
    status: t.exposeString('status', { description: 'Its present status.' }),
  }),
});

const Mismatch = builder.objectRef<Convergence['mismatches'][number]>('Mismatch').implement({
  description: 'A disagreement of the books.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'trial_balance, ledger_only, rail_only, amount_mismatch, or duplicate (several lines of one reference).',
    }),
    id: t.exposeString('id', { description: 'The reference of the lines, or the currency.' }),
    expected: t.exposeString('expected', {
      wire: { orNull: true },
      nullable: true,
      description: 'What the ledger says; null where only the statement has it.',
    }),
    actual: t.exposeString('actual', {
      wire: { orNull: true },
      nullable: true,
      description: 'What the statement says; null where only the ledger has it.',
    }),
  }),
});

const ConvergenceObject = builder.objectRef<Convergence>('Convergence').implement({
  description: 'Whether everything in the sandbox has ended and the books agree.',
  fields: (t) => ({
    converged: t.exposeBoolean('converged', { description: 'True where nothing is open and nothing disagrees.' }),
    open: t.expose('open', {
      type: [OpenThing],
      description: 'What has not ended, at most 100 of each type.',
      ...facts({ most: mostOpenTypes * mostOfKind }),
    }),
    mismatches: t.expose('mismatches', {
      type: [Mismatch],
      description: 'Where the books disagree.',
      ...facts({ most: mostOfKind + currencies.length }),
    }),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', description: 'When it was checked.' }),
  }),
});

builder.queryField('convergence', (t) =>
  t.field({
    route: rest(
      'GET /v1/test/convergence',
      'Check that everything in the sandbox has ended and the books agree. Sandbox only. Use it at the end of a test: what is still open and what disagrees is named.',
      { body: true },
    ),
    type: ConvergenceObject,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    ...facts({ errors: [TestModeOnly] }),
    resolve: (_root, _args, ctx) => convergence(ctx),
  }),
);
