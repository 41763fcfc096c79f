// The GraphQL face of the audit log. Operators read it; nobody writes it.
import { z } from 'zod';
import type { AuditEntry as AuditRow } from '../../generated/prisma/client.js';
import { printActor, printResource } from '../../platform/audit-leaf.js';
import { loadTogether } from '../../platform/batch.js';
import type { ActorType, Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { auditActorTypes, auditEntries, auditEntry } from './audit-entry.js';
import { type Leaf, leavesOf } from './block.sql.js';
import { rest } from './rest.js';
import { type Verification, verifyAuditLog } from './verification.js';

const AuditActorType = builder.enumType('AuditActorType', { values: auditActorTypes });

const AuditActor = builder.objectRef<AuditRow>('AuditActor').implement({
  description: 'Who made a change. The system is what becomes due by itself.',
  fields: (t) => ({
    type: t.field({ type: AuditActorType, resolve: ({ actorType }) => actorType as ActorType as (typeof auditActorTypes)[number] }),
    id: t.string({
      nullable: true,
      description: 'Of the API key (also of the one behind a JWT), the agent or the portal token.',
      resolve: ({ actorType, actorId }) => actorId && printActor(actorType, actorId),
    }),
  }),
});

/** The leaf of an entry; null for one that is none yet, or is of before the tree. Those of a page are read together. */
async function leafOf({ id }: AuditRow, ctx: Ctx): Promise<Leaf | null> {
  const { platform, workspace } = ctx;
  return (await loadTogether(ctx, 'auditLeaf', id, (ids) => leavesOf(platform.database.pool, workspace.id, ids))) ?? null;
}

const AuditEntry = builder.prismaObject('AuditEntry', {
  description: 'One change, and a leaf in the tree of the workspace. It is never changed.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AuditEntryId' }),
    at: t.expose('at', { type: 'DateTime', description: 'In real time, also in a sandbox whose clock was moved.' }),
    actor: t.field({ type: AuditActor, resolve: (row) => row as AuditRow }),
    action: t.exposeString('action', {
      description:
        'The operation, such as createTransfer; `due.` and what became due for the system; `credential.refused` and `access.refused` for what was denied.',
    }),
    resourceType: t.exposeString('resourceType', { nullable: true, description: 'What was changed, such as wallet.' }),
    resourceId: t.string({
      nullable: true,
      resolve: ({ resourceType, resourceId }) => resourceId && printResource(resourceType, resourceId),
    }),
    requestId: t.exposeString('requestId', { nullable: true, description: 'As X-Request-Id said it.' }),
    ip: t.exposeString('ip', { nullable: true }),
    changes: t.expose('changes', { type: 'JSONObject', nullable: true, description: 'What was asked for, without secrets.' }),
    position: t.field({
      type: 'Cents',
      description: 'Its number: entries are numbered in the order in which they were written, with gaps.',
      resolve: ({ position }) => Number(position),
    }),
    leafIndex: t.field({
      type: 'Cents',
      nullable: true,
      description:
        'Its place in the tree of the workspace. Absent until it is taken up, within seconds, and for entries of before the tree.',
      resolve: async (row, _args, ctx) => {
        const leaf = await leafOf(row, ctx);
        return leaf && Number(leaf.index);
      },
    }),
    leafHash: t.string({
      nullable: true,
      description: 'The hash of its leaf (RFC 6962), in hex.',
      resolve: async (row, _args, ctx) => hex((await leafOf(row, ctx))?.hash ?? null),
    }),
    previousHash: t.string({
      nullable: true,
      description: 'Of entries of before the tree: the hash of the entry before it.',
      resolve: (row) => hex(row.previousHash),
    }),
    hash: t.string({
      nullable: true,
      description: 'Of entries of before the tree: SHA-256 over the hash before it and everything that it says.',
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
    size: t.field({ type: 'Cents', description: 'How many leaves it has.', resolve: ({ size }) => Number(size) }),
    rootHash: t.exposeString('rootHash', { description: 'In hex.' }),
  }),
});

const AuditVerification = builder.objectRef<Verification>('AuditVerification').implement({
  description: 'What recomputing the audit log came to.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid'),
    checked: t.exposeInt('checked', { description: 'Entries that were recomputed.' }),
    firstInvalidId: t.expose('firstInvalidId', {
      wire: { orNull: true },
      type: 'AuditEntryId',
      nullable: true,
      description: 'The first entry that is not as it was written, or comes after one that is missing.',
    }),
    headHash: t.exposeString('headHash', { wire: { orNull: true }, nullable: true, description: 'The root of the tree.' }),
    tree: t.expose('tree', { type: AuditTree, nullable: true, wire: { orNull: true } }),
    nextAfter: t.expose('nextAfter', {
      type: 'AuditEntryId',
      nullable: true,
      description: 'There are more entries than one request checks: go on after this one.',
    }),
  }),
});

const word = z.string().min(1).max(100);

builder.queryFields((t) => ({
  auditLog: t.field({
    route: rest('GET /v1/audit-log', 'List what was changed, newest first.', { name: 'listAuditEntries' }),
    type: AuditEntryPage,
    authScopes: { audience: 'operator' },
    args: {
      ...pageArgs(t),
      actor: t.arg.string({ required: false, description: 'An id, or a kind such as agent or system.', validate: word }),
      action: t.arg.string({ required: false, validate: word }),
      resourceType: t.arg.string({ required: false, validate: word }),
      resourceId: t.arg.string({ required: false, validate: word }),
    },
    resolve: (_root, filter, ctx) => auditEntries(ctx, filter),
  }),
  auditEntry: t.field({
    route: rest('GET /v1/audit-log/{id}', 'Read an entry of the audit log.'),
    type: AuditEntry,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'AuditEntryId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => auditEntry(ctx, id),
  }),
  verifyAuditLog: t.field({
    route: rest('GET /v1/audit-log/verify', 'Recompute the hashes of the audit log: from its beginning, or after an entry.', {
      name: 'verifyAuditLog',
    }),
    type: AuditVerification,
    authScopes: { audience: 'operator' },
    args: { after: t.arg({ type: 'AuditEntryId', required: false, description: 'Begin after this entry.' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { after }, ctx) => verifyAuditLog(ctx, after ?? null),
  }),
}));
