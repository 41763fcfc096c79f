// The GraphQL face of configurations.
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { snakePath } from '../../platform/snake-case.js';
import { type Applied, appliedWith, type Made, PlanChanged } from './application.js';
import { printChange } from './change.js';
import type { Comparison, Unresolved, Warning } from './comparison.js';
import { ApplyConfigInput, DiffConfigInput } from './configuration.input.js';
import { applyDocument, configuration, diffConfiguration, type PrintedConfiguration, tryDocument } from './configuration.js';
import { mostThings } from './document.js';
import { rest } from './rest.js';

const kind = 'Where things of its kind stand in the document, such as `policies` or `settlement.rules`.';
const name = 'Its name, which nothing else of its kind has.';

const Managed = builder.objectRef<PrintedConfiguration['managed'][number]>('ManagedSetting').implement({
  description: 'A thing that a file has set up.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: kind }),
    name: t.exposeString('name', { description: name }),
    managedBy: t.exposeString('managedBy', { description: 'The source that applied it last.' }),
    appliedAt: t.expose('appliedAt', { type: 'DateTime', description: 'When it was made or changed so.' }),
  }),
});

const Configuration = builder.objectRef<PrintedConfiguration>('Configuration').implement({
  description: 'What a workspace is set up to do.',
  fields: (t) => ({
    version: t.int({ description: 'Of the form of the document: 1.', resolve: () => 1 }),
    revision: t.exposeString('revision', { description: 'Changes with every change of a setting.' }),
    config: t.field({ type: 'JSON', description: 'Settings by kind, with names in place of ids.', resolve: ({ config }) => config }),
    managed: t.expose('managed', { type: [Managed], description: 'What files have set up.', ...facts({ most: mostThings }) }),
  }),
});

type PrintedChange = ReturnType<typeof printChange>;
const ConfigOpEnum = builder.enumType('ConfigOp', {
  description: 'What happens to a thing.',
  values: ['create', 'update', 'delete'] as const satisfies PrintedChange['op'][],
});

const ConfigChange = builder.objectRef<PrintedChange>('ConfigChange').implement({
  description: 'What happens to one thing.',
  fields: (t) => ({
    op: t.expose('op', { type: ConfigOpEnum }),
    kind: t.exposeString('kind', { description: kind }),
    name: t.exposeString('name', { description: name }),
    fields: t.field({
      type: 'JSON',
      description:
        'The settings that change, each `{path, from, to}`: which it is, such as `rules[0].amount`, and its values, null for none.',
      resolve: ({ fields }) => fields,
    }),
  }),
});

const UnresolvedReference = builder.objectRef<Unresolved>('UnresolvedReference').implement({
  description: 'A reference that does not name exactly one thing.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: kind }),
    name: t.exposeString('name', { description: name }),
    path: t.string({ description: 'Where it stands in the request.', resolve: ({ path }) => snakePath(path).join('.') }),
    ref: t.field({ type: 'JSON', description: 'The reference.', resolve: ({ ref }) => ref }),
    found: t.exposeInt('found', { description: 'How many things it names.' }),
  }),
});

const ConfigWarning = builder.objectRef<Warning>('ConfigWarning').implement({
  description: 'Something to know before applying.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: kind }),
    name: t.exposeString('name', { description: name }),
    message: t.exposeString('message', { description: 'What it is, for people.' }),
  }),
});

const ConfigPlan = builder.objectRef<Comparison>('ConfigPlan').implement({
  description: 'What applying a configuration would change.',
  fields: (t) => ({
    plan: t.exposeString('plan', { description: 'Names the changes and what they are made to: an apply with it does these or nothing.' }),
    revision: t.exposeString('revision', { description: 'Of what is set up now.' }),
    changes: t.field({
      type: [ConfigChange],
      description: 'What would be done, in this order by kind.',
      ...facts({ most: mostThings }),
      resolve: ({ changes }) => changes.map(printChange),
    }),
    unresolved: t.field({
      type: [UnresolvedReference],
      description: 'References that name nothing here, or several things: an apply is refused.',
      ...facts({ most: mostThings }),
      resolve: ({ unresolved }) => [...unresolved],
    }),
    warnings: t.field({
      type: [ConfigWarning],
      description: 'What was made or changed by hand, and what another source applied.',
      ...facts({ most: mostThings }),
      resolve: ({ warnings }) => [...warnings],
    }),
  }),
});

const MadeThing = builder.objectRef<Made>('MadeSetting').implement({
  description: 'A thing that an apply has made.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: kind }),
    name: t.exposeString('name', { description: name }),
    id: t.exposeString('id', { description: 'Its id, as its own endpoint prints it.' }),
    secret: t.string({
      nullable: true,
      description: 'The signing secret of a subscription, shown once.',
      extensions: { secret: true },
      resolve: ({ secret }) => secret ?? null,
    }),
  }),
});

const AppliedConfig = builder.objectRef<Applied>('AppliedConfig').implement({
  description: 'What an apply has done.',
  fields: (t) => ({
    revision: t.exposeString('revision', { description: 'Of what is set up now.' }),
    changes: t.field({
      type: [ConfigChange],
      description: 'What was done.',
      ...facts({ most: mostThings }),
      resolve: ({ changes }) => [...changes],
    }),
    made: t.field({
      type: [MadeThing],
      description: 'What was made.',
      ...facts({ most: mostThings }),
      resolve: ({ made }) => [...made],
    }),
  }),
});

builder.queryFields((t) => ({
  configuration: t.field({
    route: rest(
      'GET /v1/config',
      'Read what the workspace is set up to do, as one document: the kinds of settings that the caller may read. It has no money, people, or secrets, and names in place of ids, so it may be applied elsewhere.',
    ),
    type: Configuration,
    authScopes: { audience: 'operator', scope: 'config:read' },
    resolve: (_root, _args, ctx) => configuration(ctx),
  }),
}));

builder.mutationFields((t) => ({
  diffConfig: t.field({
    route: rest(
      'POST /v1/config/diff',
      'Show what applying a document would change, with a `plan` that an apply may ask for. Nothing is changed. A document that cannot be read, or a setting that stays as it was made, is 400.',
      { status: 200 },
    ),
    type: ConfigPlan,
    authScopes: { audience: 'operator', scope: 'config:read' },
    args: { input: t.arg({ type: DiffConfigInput }) },
    ...facts({ effect: 'none' }),
    resolve: (_root, { input }, ctx) => diffConfiguration(ctx, input),
  }),
  applyConfig: t.field({
    route: rest(
      'PUT /v1/config',
      'Apply a document: all of it or nothing. Each change is made as at its own endpoint, and needs the scope of that. What the document does not name stays, but for what its source made where `prune` is true. A plan that does not hold any more is 409.',
    ),
    type: AppliedConfig,
    authScopes: { audience: 'operator', scope: 'config:write' },
    args: { input: t.arg({ type: ApplyConfigInput }) },
    ...facts({ errors: [NotFound, PlanChanged] }),
    resolve: once((ctx, { input }) => applyDocument(ctx, input), appliedWith),
  }),
  tryConfig: t.field({
    route: rest(
      'PUT /v1/config',
      'Show what an apply would answer, without doing it. A refusal by any of its changes is answered as an apply would be.',
      { when: 'dry_run' },
    ),
    type: AppliedConfig,
    authScopes: { audience: 'operator', scope: 'config:write' },
    args: { input: t.arg({ type: ApplyConfigInput }) },
    ...facts({ effect: 'none', errors: [NotFound, PlanChanged] }),
    resolve: (_root, { input }, ctx) => tryDocument(ctx, input),
  }),
}));
