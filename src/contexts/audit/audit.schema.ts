// The GraphQL face of the audit log. Operators read it; nobody writes it.
import { z } from 'zod';
import type { AuditEntry as AuditRow } from '../../generated/prisma/client.js';
import { printActor, wireActorType, wireActorTypes } from '../../platform/actor.js';
import { printResource } from '../../platform/audit-leaf.js';
import { loadTogether } from '../../platform/batch.js';
import type { ActorType, Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { operatorsOnly } from '../../platform/visibility.js';
import { memberName } from '../spending/initiator.schema.js';
import { auditEntries, auditEntry } from './audit-entry.js';
import { type Leaf, leavesOf } from './block.sql.js';
import { rest } from './rest.js';
import { type Verification, verifyAuditLog } from './verification.js';

const AuditActorType = builder.enumType('AuditActorType', { description: 'What kind of actor made a change.', values: wireActorTypes });

const AuditActor = builder.objectRef<AuditRow>('AuditActor').implement({
  description: 'Who made a change. `system` is what becomes due by itself.',
  fields: (t) => ({
    type: t.field({ type: AuditActorType, resolve: ({ actorType }) => wireActorType(actorType as ActorType) }),
    id: t.string({
      nullable: true,
      description: 'The API key (also the one behind a JWT), member, agent or portal token; null for the system and for anonymous callers.',
      resolve: ({ actorType, actorId }) => actorId && printActor(actorType, actorId),
    }),
    name: t.string({
      nullable: true,
      description: 'Name of the member as it is now; null where no member acted. It is no part of the entry.',
      resolve: ({ actorType, actorId }, _args, ctx) => actorId && memberName(ctx, actorType, actorId),
    }),
  }),
});

/** The leaf of an entry; null for one that is none yet, or is of before the tree. Those of a page are read together. */
async function leafOf({ id }: AuditRow, ctx: Ctx): Promise<Leaf | null> {
  const { platform, workspace } = ctx;
  return (await loadTogether(ctx, 'auditLeaf', id, (ids) => leavesOf(platform.database.pool, workspace.id, ids))) ?? null;
}

const AuditEntry = builder.prismaObject('AuditEntry', {
  ...byId(rowsOf('auditEntry', operatorsOnly('audit:read'))),
  description: "A change, or a denied request. It is never changed and is a leaf of the workspace's Merkle tree.",
  fields: (t) => ({
    id: t.expose('id', { type: 'AuditEntryId' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened, in real time, also in a sandbox whose clock was moved.' }),
    actor: t.field({ type: AuditActor, description: 'Who made it.', resolve: (row) => row as AuditRow }),
    action: t.exposeString('action', {
      description:
        'The operation, such as `createTransfer`; `due.` and a name for the system; `credential.refused` and `access.refused` for denied requests.',
    }),
    resourceType: t.exposeString('resourceType', {
      nullable: true,
      description: 'What was changed, such as `wallet`; null where nothing was named.',
    }),
    resourceId: t.string({
      nullable: true,
      description: 'The identifier of what was changed; null where nothing was named.',
      resolve: ({ resourceType, resourceId }) => resourceId && printResource(resourceType, resourceId),
    }),
    requestId: t.exposeString('requestId', { nullable: true, description: 'The `X-Request-Id` of the request; null for the system.' }),
    ip: t.exposeString('ip', { nullable: true, description: 'IP address of the caller; null for the system.' }),
    changes: t.expose('changes', {
      type: 'JSONObject',
      nullable: true,
      description: 'What was asked for, without secrets; null where there is nothing to show.',
    }),
    position: t.field({
      type: 'Cents',
      description: 'Number of the entry. Entries are numbered in the order in which they were written, with gaps.',
      resolve: ({ position }) => Number(position),
    }),
    leafIndex: t.field({
      type: 'Cents',
      nullable: true,
      description: 'Place in the tree of the workspace; null until it is added, within seconds, and for entries older than the tree.',
      resolve: async (row, _args, ctx) => {
        const leaf = await leafOf(row, ctx);
        return leaf && Number(leaf.index);
      },
    }),
    leafHash: t.string({
      nullable: true,
      description: 'Hash of its leaf (RFC 6962), in hex; null like `leaf_index`.',
      resolve: async (row, _args, ctx) => hex((await leafOf(row, ctx))?.hash ?? null),
    }),
    previousHash: t.string({
      nullable: true,
      description: 'For entries older than the tree: hash of the entry before; else null.',
      resolve: (row) => hex(row.previousHash),
    }),
    hash: t.string({
      nullable: true,
      description: 'For entries older than the tree: SHA-256 over the hash before it and its members; else null.',
      resolve: (row) => hex(row.hash),
    }),
  }),
});
const AuditEntryPage = pageOf(AuditEntry, 'AuditEntry');

function hex(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString('hex');
}

const AuditTree = builder.objectRef<NonNullable<Verification['tree']>>('AuditTree').implement({
  description: 'The Merkle tree (RFC 6962, SHA-256) over the entries of a workspace.',
  fields: (t) => ({
    size: t.field({ type: 'Cents', description: 'Number of leaves: a whole number.', resolve: ({ size }) => Number(size) }),
    rootHash: t.exposeString('rootHash', { description: 'Hash of the root, in hex.' }),
  }),
});

const AuditCheckpoint = builder.objectRef<NonNullable<Verification['fromCheckpoint']>>('AuditCheckpoint').implement({
  description:
    'Where the kept part of an audit log begins, because entries before it were archived to a file of the operator of the platform.',
  fields: (t) => ({
    leafIndex: t.field({
      type: 'Cents',
      description: 'The first leaf whose entry is kept.',
      resolve: ({ leafIndex }) => Number(leafIndex),
    }),
    archivedSha256: t.string({
      description: 'SHA-256 of the file with the entries before it, in hex.',
      resolve: ({ sha256 }) => sha256.toString('hex'),
    }),
  }),
});

const AuditVerification = builder.objectRef<Verification>('AuditVerification').implement({
  description: 'The result of recomputing the audit log.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'True where every entry that was checked is as it was written.' }),
    checked: t.exposeInt('checked', { description: 'Number of entries that were checked.' }),
    erased: t.exposeInt('erased', {
      description:
        'Of the entries that were checked, those whose content was erased. They are valid where a later entry of the erasure names them.',
    }),
    firstInvalidId: t.expose('firstInvalidId', {
      wire: { orNull: true },
      type: 'AuditEntryId',
      nullable: true,
      description: 'The first entry that was changed, or that follows a missing one; null where all are right.',
    }),
    headHash: t.exposeString('headHash', {
      wire: { orNull: true },
      nullable: true,
      description: 'Root of the tree, in hex; null while there is no entry.',
    }),
    tree: t.expose('tree', {
      type: AuditTree,
      nullable: true,
      description: 'The tree that was recomputed; null while there is no entry.',
      wire: { orNull: true },
    }),
    fromCheckpoint: t.expose('fromCheckpoint', {
      type: AuditCheckpoint,
      nullable: true,
      description: 'Where the check began, where entries were archived; they are checked in their file. Else null.',
    }),
    nextAfter: t.expose('nextAfter', {
      type: 'AuditEntryId',
      nullable: true,
      description: 'Where to continue, because one request checks only so many; null where all were checked.',
    }),
  }),
});

const word = z.string().min(1).max(100);

builder.queryFields((t) => ({
  auditLog: t.field({
    route: rest(
      'GET /v1/audit-log',
      'List what was changed in the workspace and what was denied, newest first. Filter by actor, action or resource; pages of a rare action may have fewer entries than asked for.',
      { name: 'listAuditEntries' },
    ),
    type: AuditEntryPage,
    authScopes: { audience: 'operator', scope: 'audit:read' },
    args: {
      ...pageArgs(t),
      actor: t.arg.string({
        required: false,
        description: 'Only entries of this actor: an id, or a kind such as `agent` or `system`.',
        validate: word,
      }),
      action: t.arg.string({ required: false, validate: word }),
      resourceType: t.arg.string({ required: false, validate: word }),
      resourceId: t.arg.string({ required: false, validate: word }),
    },
    resolve: (_root, filter, ctx) => auditEntries(ctx, filter),
  }),
  auditEntry: t.field({
    route: rest('GET /v1/audit-log/{id}', 'Read an entry of the audit log. Entries are never changed, and leave only for an archive.'),
    type: AuditEntry,
    authScopes: { audience: 'operator', scope: 'audit:read' },
    args: { id: t.arg({ type: 'AuditEntryId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => auditEntry(ctx, id),
  }),
  verifyAuditLog: t.field({
    route: rest(
      'GET /v1/audit-log/verify',
      'Recompute the hashes of the audit log, from its beginning or after an entry. An entry that was changed, added or removed is found. Large logs take several requests: continue with `next_after`.',
      {
        name: 'verifyAuditLog',
      },
    ),
    type: AuditVerification,
    authScopes: { audience: 'operator', scope: 'audit:read' },
    args: { after: t.arg({ type: 'AuditEntryId', required: false, description: 'Begin after this entry.' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { after }, ctx) => verifyAuditLog(ctx, after ?? null),
  }),
}));
