// The schema builder that every face writes to. What concerns both faces sits on the field: its audience, its rate class,
// the errors it may answer. REST and GraphQL read the same facts.
import SchemaBuilder, { type ObjectRef } from '@pothos/core';
import PrismaPlugin, { queryFromInfo } from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import ValidationPlugin from '@pothos/plugin-validation';
import { type GraphQLResolveInfo, Kind, type ValueNode } from 'graphql';
import type PrismaTypes from '../generated/pothos-prisma.js';
import { getDatamodel } from '../generated/pothos-prisma.js';
import { authorize } from './audience.js';
import type { Audience, Ctx } from './ctx.js';
import type { ErrorClass } from './errors.js';
import type { IdKind } from './ids.js';
import type { Currency } from './money.js';
import type { Page } from './page.js';
import * as scalar from './scalar.js';
import { invalidInput } from './validation.js';

/** What both faces must know of a root field. */
export interface FieldFacts {
  /** `auth`: five a minute. */
  rateClass?: 'auth';
  /** What it may answer besides the errors of every operation; printed into OpenAPI. */
  errors?: readonly ErrorClass[];
  /** A body of up to 4 MiB instead of 256 KiB. */
  batch?: true;
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
  AuthScopes: { audience: Audience };
  Scalars: {
    DateTime: Scalar<Date>;
    JSON: Scalar<unknown>;
    JSONObject: { Input: Record<string, unknown>; Output: unknown };
    Amount: Scalar<string>;
    SignedAmount: Scalar<string>;
    Cents: Scalar<number>;
    Currency: { Input: Currency; Output: string };
    Page: Scalar<number>;
    Limit: Scalar<number>;
    AccountId: Scalar<string>;
    OwnerId: Scalar<string>;
    WalletId: Scalar<string>;
    MerchantId: Scalar<string>;
    TransferId: Scalar<string>;
    AgentId: Scalar<string>;
    AgentUuid: Scalar<string>;
    AuthKeyId: Scalar<string>;
    SessionId: Scalar<string>;
    ApiKeyId: Scalar<string>;
    EventId: Scalar<string>;
    WebhookId: Scalar<string>;
    DeliveryId: Scalar<string>;
    AttemptId: Scalar<string>;
    TestClockId: Scalar<string>;
    LedgerTransactionId: Scalar<string>;
  };
}>({
  plugins: [ScopeAuthPlugin, PrismaPlugin, ValidationPlugin],
  defaultFieldNullability: false,
  defaultInputFieldRequiredness: true,
  prisma: { client: (ctx) => ctx.db, dmmf: getDatamodel(), exposeDescriptions: false, onUnusedQuery: null },
  scopeAuth: {
    // A subscriber is asked once, before anything is listened to.
    authorizeOnSubscribe: true,
    authScopes: (ctx) => ({ audience: (audience: Audience) => authorize(ctx.actor, audience) }),
  },
  validation: { validationError: invalidInput },
});

const literalOf =
  <In>(parseValue: (value: unknown) => In) =>
  (node: ValueNode) =>
    parseValue(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : scalar.literalValue(node));

function addScalar<In, Out>(name: Parameters<typeof builder.scalarType>[0], shape: scalar.ScalarShape<In, Out>): void {
  builder.scalarType(name, { ...shape, parseLiteral: literalOf(shape.parseValue) } as never);
}

addScalar('DateTime', scalar.dateTime);
addScalar('JSON', scalar.json);
addScalar('JSONObject', scalar.jsonObject);
addScalar('Amount', scalar.amount);
addScalar('SignedAmount', scalar.signedAmount);
addScalar('Cents', scalar.cents);
addScalar('Currency', scalar.currency);
addScalar('Page', scalar.pageNumber);
addScalar('Limit', scalar.pageLimit);

const idScalars: readonly [Parameters<typeof builder.scalarType>[0], IdKind, 'bare' | 'prefixed'][] = [
  ['AccountId', 'account', 'bare'],
  ['WalletId', 'wallet', 'bare'],
  ['MerchantId', 'merchant', 'prefixed'],
  ['TransferId', 'transfer', 'bare'],
  ['AgentId', 'agent', 'prefixed'],
  ['AgentUuid', 'agent', 'bare'],
  ['AuthKeyId', 'authKey', 'prefixed'],
  ['SessionId', 'session', 'prefixed'],
  ['ApiKeyId', 'apiKey', 'prefixed'],
  ['EventId', 'event', 'prefixed'],
  ['WebhookId', 'webhook', 'prefixed'],
  ['DeliveryId', 'delivery', 'prefixed'],
  ['AttemptId', 'attempt', 'prefixed'],
  ['TestClockId', 'testClock', 'prefixed'],
  ['LedgerTransactionId', 'ledgerTransaction', 'prefixed'],
];
addScalar('OwnerId', scalar.ownerId);
for (const [name, kind, print] of idScalars) addScalar(name, scalar.idScalar(kind, print));

builder.queryType({ authScopes: { audience: 'any' } });
builder.mutationType({ authScopes: { audience: 'any' } });

/** `extensions` of a root field with its facts. */
export function facts(fieldFacts: FieldFacts): { extensions: { facts: FieldFacts } } {
  return { extensions: { facts: fieldFacts } };
}

export const Pagination = builder.objectRef<Page<unknown>>('Pagination').implement({
  description: 'Where a page stands in its list. `nextCursor`, given as `after`, is the constant-cost way on.',
  fields: (t) => ({
    page: t.exposeInt('page'),
    limit: t.exposeInt('limit'),
    total: t.int({ resolve: (page) => page.total() }),
    totalPages: t.int({ resolve: async (page) => Math.ceil((await page.total()) / page.limit) }),
    hasMore: t.exposeBoolean('hasMore'),
    nextCursor: t.exposeString('nextCursor', { nullable: true }),
  }),
});

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** The arguments of every list. */
export function pageArgs(t: { arg: PothosSchemaTypes.QueryFieldBuilder<Types, Types['Root']>['arg'] }) {
  return {
    page: t.arg({ type: 'Page', required: false, defaultValue: 1 }),
    limit: t.arg({ type: 'Limit', required: false, defaultValue: 50 }),
    since: t.arg({ type: 'DateTime', required: false, description: 'Created at or after.' }),
    until: t.arg({ type: 'DateTime', required: false, description: 'Created before.' }),
  };
}

/** The page type of a node: `AccountPage { nodes pagination }`. */
export function pageOf<T>(node: ObjectRef<Types, T>, name: string): ObjectRef<Types, Page<T>> {
  return builder.objectRef<Page<T>>(`${name}Page`).implement({
    description: `A page of a list, newest first.`,
    fields: (t) => ({
      nodes: t.field({ type: [node], resolve: (page) => page.nodes as never }),
      pagination: t.field({ type: Pagination, resolve: (page) => page }),
    }),
  });
}

/** What the nodes of a page select, so that their relations come with the page and not one by one. */
export function nodesQuery(ctx: Ctx, info: GraphQLResolveInfo): object {
  return queryFromInfo({ context: ctx, info, path: ['nodes'] });
}
