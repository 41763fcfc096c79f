// The schema builder that every face writes to. What concerns both faces sits on the field: its audience, its rate class,
// the errors it may answer. REST and GraphQL read the same facts.
import SchemaBuilder, { type InputFieldMap, type InputShapeFromFields, type ObjectRef } from '@pothos/core';
import PrismaPlugin, { queryFromInfo } from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import ValidationPlugin from '@pothos/plugin-validation';
import { type GraphQLResolveInfo, Kind, type ValueNode } from 'graphql';
import type PrismaTypes from '../../generated/pothos-prisma.js';
import { getDatamodel } from '../../generated/pothos-prisma.js';
import type { Audience, Ctx, PortalScope } from '../ctx.js';
import type { ErrorClass } from '../errors.js';
import type { Currency } from '../money.js';
import { useOurWords } from '../zod-words.js';
import { type AskedScope, anybody, authorize } from './audience.js';
import * as figure from './figure.js';
import { type IdKind, type IdScalar, idKinds } from './id.js';
import { defaultLimit, type Page, type PageInput } from './page.js';
import * as scalar from './scalar.js';
import { familyOf } from './scalar-family.js';
import { invalidInput } from './validation.js';

useOurWords();

/** What both faces must know of a field. */
export interface FieldFacts {
  /** `auth`: five a minute; `login`: twenty. */
  rateClass?: 'auth' | 'login';
  /** What it may answer besides the errors of every operation; printed into OpenAPI. */
  errors?: readonly ErrorClass[];
  /** A body of up to 4 MiB instead of 256 KiB. */
  batch?: true;
  /** `none`: a mutation that changes nothing, so there is nothing that an Idempotency-Key could keep from happening twice. */
  effect?: 'none';
  /** The length of a bounded list, on any field; a list without it is a page (CONTRACT.md 21 "Complexity"). */
  most?: number;
  /** A bounded list that stands in the row of its object: reading it costs no more than the row, so it counts as one node. */
  embedded?: true;
}

interface Scalar<T> {
  Input: T;
  Output: T;
}

export const builder = new SchemaBuilder<{
  Context: Ctx;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: true;
  DefaultAuthStrategy: 'all';
  AuthScopes: { audience: Audience; scope: AskedScope; portal: PortalScope };
  Scalars: {
    DateTime: Scalar<Date>;
    Date: Scalar<string>;
    Moment: Scalar<scalar.Moment>;
    Counts: Scalar<figure.Counts>;
    Amounts: Scalar<figure.Amounts>;
    Figure: Scalar<figure.Figure>;
    Figures: Scalar<figure.Figures>;
    TimeRange: Scalar<figure.TimeRange>;
    TraceId: Scalar<string>;
    JSON: Scalar<unknown>;
    JSONObject: { Input: Record<string, unknown>; Output: unknown };
    Amount: Scalar<string>;
    SignedAmount: Scalar<string>;
    Cents: Scalar<number>;
    ExchangeRate: Scalar<string>;
    FlowRate: Scalar<string>;
    Fraction: Scalar<string>;
    Multiplier: Scalar<string>;
    Currency: { Input: Currency; Output: string };
    Page: Scalar<number>;
    Limit: Scalar<number>;
    Cursor: Scalar<string>;
    OwnerId: Scalar<string>;
  } & Record<IdScalar, Scalar<string>>;
}>({
  plugins: [ScopeAuthPlugin, PrismaPlugin, ValidationPlugin],
  defaultFieldNullability: false,
  defaultInputFieldRequiredness: true,
  prisma: { client: (ctx) => ctx.db, dmmf: getDatamodel(), exposeDescriptions: false, onUnusedQuery: null },
  scopeAuth: {
    // A subscriber is asked once, before anything is listened to.
    authorizeOnSubscribe: true,
    // Both the audience and the scope have to admit.
    defaultStrategy: 'all',
    authScopes: (ctx) => ({
      audience: (audience: Audience) => authorize(ctx.actor, { ...anybody, audience }),
      scope: (scope: AskedScope) => authorize(ctx.actor, { ...anybody, scope }),
      portal: (scope: PortalScope) => authorize(ctx.actor, { audience: 'any', scope, portal: scope }),
    }),
  },
  validation: { validationError: invalidInput },
});

const literalOf =
  <In>(parseValue: (value: unknown) => In) =>
  (node: ValueNode) =>
    parseValue(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : scalar.literalValue(node));

function addScalar<In, Out>(name: Parameters<typeof builder.scalarType>[0], shape: scalar.ScalarShape<In, Out>): void {
  const specifiedByURL = familyOf(shape);
  builder.scalarType(name, { ...shape, specifiedByURL, parseLiteral: literalOf(shape.parseValue) } as never);
}

addScalar('DateTime', scalar.dateTime);
addScalar('Date', scalar.date);
addScalar('Moment', scalar.moment);
addScalar('Counts', figure.counts);
addScalar('Amounts', figure.amounts);
addScalar('Figure', figure.figure);
addScalar('Figures', figure.figures);
addScalar('TimeRange', figure.timeRange);
addScalar('TraceId', figure.traceId);
addScalar('Fraction', scalar.fraction);
addScalar('Multiplier', scalar.multiplier);
addScalar('JSON', scalar.json);
addScalar('JSONObject', scalar.jsonObject);
addScalar('Amount', scalar.amount);
addScalar('SignedAmount', scalar.signedAmount);
addScalar('Cents', scalar.cents);
addScalar('Currency', scalar.currency);
addScalar('ExchangeRate', scalar.exchangeRate);
addScalar('FlowRate', scalar.flowRate);
addScalar('Page', scalar.pageNumber);
addScalar('Limit', scalar.pageLimit);
addScalar('Cursor', scalar.cursor);

addScalar('OwnerId', scalar.ownerId);
for (const [kind, { scalars }] of Object.entries(idKinds)) {
  for (const [name, print] of Object.entries(scalars)) addScalar(name as IdScalar, scalar.idScalar(kind as IdKind, print));
}

builder.queryType({ authScopes: { audience: 'any' } });
builder.mutationType({ authScopes: { audience: 'any' } });

/**
 * Options of a root field that portal tokens with `scope` read too, beside everybody with another credential. What they see of it is
 * what the noun's Visibility says.
 */
export function openToPortal<const Scope extends PortalScope>(scope: Scope) {
  return { skipTypeScopes: true, authScopes: { portal: scope } } as const;
}

/** `extensions` of a field with its facts. */
export function facts(fieldFacts: FieldFacts): { extensions: { facts: FieldFacts } } {
  return { extensions: { facts: fieldFacts } };
}

export const Pagination = builder.objectRef<Page<unknown>>('Pagination').implement({
  description: 'Where a page stands in its list. The cursor is the way through a large list at constant cost.',
  fields: (t) => ({
    page: t.exposeInt('page', { description: 'Number of the page, from 1; behind a cursor that of the first page.' }),
    limit: t.exposeInt('limit', { description: 'Most rows in a page.' }),
    total: t.int({
      description: 'Number of rows in the whole list, counted up to 10,000.',
      resolve: async (page) => (await page.total()).count,
    }),
    totalPages: t.int({
      wire: { name: 'totalPages' },
      description: 'Number of pages of this limit in the whole list.',
      resolve: (page) => page.totalPages(),
    }),
    totalIsMinimum: t.boolean({
      nullable: true,
      description: 'True when there are more rows than `total`; else null.',
      resolve: async (page) => ((await page.total()).isMinimum ? true : null),
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'True when another page follows.' }),
    nextCursor: t.string({
      nullable: true,
      description: 'Give it as `starting_after` (GraphQL: `after`) to read the next page; null on the last one.',
      resolve: (page) => page.nextCursor(),
    }),
  }),
});

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** The arguments of every list. */
export function pageArgs(t: { arg: PothosSchemaTypes.QueryFieldBuilder<Types, Types['Root']>['arg'] }) {
  return {
    page: t.arg({ type: 'Page', required: false, defaultValue: 1 }),
    limit: t.arg({ type: 'Limit', required: false, defaultValue: defaultLimit }),
    since: t.arg({ type: 'DateTime', required: false, description: 'Only what was created at or after this time.' }),
    until: t.arg({ type: 'DateTime', required: false, description: 'Only what was created before this time.' }),
    after: t.arg({ type: 'Cursor', required: false, description: 'Continue after this: the `next_cursor` of a page, or the id of a row.' }),
  };
}

/**
 * Options of a root field that reads `list`, whose nodes are of a Prisma type: the arguments of every list, and its filters. One that the
 * list does not have does not compile.
 */
export function listed<Filters extends InputFieldMap, Node>(
  t: { arg: PothosSchemaTypes.QueryFieldBuilder<Types, Types['Root']>['arg'] },
  list: (ctx: Ctx, input: PageInput & InputShapeFromFields<Filters>, query: object) => Promise<Page<Node>>,
  filters: Filters,
) {
  return {
    args: { ...pageArgs(t), ...filters },
    resolve: (_root: unknown, input: PageInput & InputShapeFromFields<Filters>, ctx: Ctx, info: GraphQLResolveInfo) =>
      list(ctx, input, nodesQuery(ctx, info)),
  };
}

/** The arguments of a list inside a type; `after` is an id of what it lists. */
export function nestedPageArgs<Id extends 'WalletId' | 'AgentId'>(
  t: { arg: PothosSchemaTypes.QueryFieldBuilder<Types, Types['Root']>['arg'] },
  id: Id,
) {
  return {
    limit: t.arg({ type: 'Limit', required: false, defaultValue: defaultLimit }),
    after: t.arg({ type: id, required: false, description: 'Continue after the object with this id.' }),
  };
}

/** The page type of a node: `AccountPage { nodes pagination }`. */
export function pageOf<T>(node: ObjectRef<Types, T>, name: string): ObjectRef<Types, Page<T>> {
  return builder.objectRef<Page<T>>(`${name}Page`).implement({
    description: `A page of a list, newest first.`,
    fields: (t) => ({
      nodes: t.field({ type: [node], description: 'The rows of this page.', resolve: (page) => page.nodes as never }),
      pagination: t.field({ type: Pagination, description: 'Where this page stands in the list.', resolve: (page) => page }),
    }),
  });
}

/** What the nodes of a page select, so that their relations come with the page and not one by one. */
export function nodesQuery(ctx: Ctx, info: GraphQLResolveInfo): object {
  return queryFromInfo({ context: ctx, info, path: ['nodes'] });
}
