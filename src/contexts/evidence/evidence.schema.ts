// The GraphQL face of evidence: the log, its heads, leaves, and proofs.

import { z } from 'zod';
import type { EvidenceState, EvidenceLog as LogRow } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { LineArchived } from '../audit/archive.js';
import { HeadNotSigned, LogHalted } from './errors.js';
import { type Checkpoint, type Consistency, consistency, currentLog, headAt } from './head.js';
import { type ProvenLeaf, provenLeaf } from './leaf.js';
import { EvidencePublishEnum, UpdateEvidenceLogInput } from './log.input.js';
import { addressOf } from './log.js';
import { keyJws, keysOf, type LogKey, mostKeys, printKeys } from './log-key.js';
import { rest } from './rest.js';
import { logById, updateLog } from './setting.js';

const hex = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('hex');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const EvidenceStateEnum = builder.enumType('EvidenceState', {
  description: '`halted`: what was signed does not fit what the database has, and nothing is signed. `ended`: another log continues it.',
  values: ['open', 'halted', 'ended'] as const satisfies EvidenceState[],
});

const EvidenceKey = builder.objectRef<LogKey>('EvidenceKey').implement({
  description: 'A key that signs heads of the log.',
  fields: (t) => ({
    vkey: t.exposeString('vkey', {
      description: 'The key as readers of signed notes take it (C2SP): name, key id and key with plus signs between.',
    }),
    from: t.expose('from', { type: 'DateTime', description: 'Since when it signs.' }),
    until: t.expose('until', {
      type: 'DateTime',
      nullable: true,
      wire: { orNull: true },
      description: 'Until when it signed; null while it does.',
    }),
  }),
});

/** The keys of a log, read once for the fields that ask for them. */
async function keys(log: LogRow, ctx: Ctx) {
  return (
    (await loadTogether(
      ctx,
      'evidenceKeys',
      log.id,
      async (ids) => new Map(await Promise.all(ids.map(async (id) => [id, await keysOf(ctx, { ...log, id })] as const))),
    )) ?? []
  );
}

const EvidenceLog = builder.objectRef<LogRow>('EvidenceLog').implement({
  description: 'The transparency log of a workspace: the tree over its audit log (RFC 6962), with signed heads (C2SP).',
  fields: (t) => ({
    id: t.expose('id', { type: 'EvidenceLogId', description: 'Its id is random: whoever knows it reads what is published.' }),
    origin: t.exposeString('origin', { description: 'Its name in checkpoints: the public address without the scheme. It never changes.' }),
    prefix: t.string({
      description: 'Where what is published of it begins.',
      resolve: ({ origin }, _args, { platform, workspace }) => `${new URL(addressOf(platform, workspace.environment)).protocol}//${origin}`,
    }),
    vkeys: t.field({
      type: [EvidenceKey],
      ...facts({ most: mostKeys, embedded: true }),
      description: 'Its keys, the oldest first.',
      resolve: async (log, _args, ctx) => printKeys(log, await keys(log, ctx)),
    }),
    keyJws: t.string({
      nullable: true,
      wire: { orNull: true },
      description:
        'What the platform says of the newest key: a JWS (ES256) of `iss`, `origin` and `vkey`, by a key of `/.well-known/jwks.json`.',
      resolve: async (log, _args, ctx) => {
        const newest = (await keys(log, ctx)).at(-1);
        return newest === undefined ? null : keyJws(ctx, log, newest);
      },
    }),
    state: t.expose('state', { type: EvidenceStateEnum }),
    reason: t.exposeString('reason', { nullable: true, wire: { orNull: true }, description: 'Why it is halted; else null.' }),
    treeSize: t.field({
      type: 'Cents',
      description: 'Leaves under its newest head: a whole number.',
      resolve: ({ treeSize }) => Number(treeSize),
    }),
    rootHash: t.string({
      nullable: true,
      wire: { orNull: true },
      description: 'Root of the newest head, in hex; null before the first.',
      resolve: ({ root }) => hex(root),
    }),
    headAt: t.expose('headAt', {
      type: 'DateTime',
      nullable: true,
      wire: { orNull: true },
      description: 'When the newest head was signed; null before the first.',
    }),
    behind: t.field({
      type: 'Cents',
      description: 'Leaves that are under no head yet: a whole number, which is 0 within two seconds of the last change.',
      resolve: async ({ treeSize }, _args, { db }) =>
        Number(((await db.auditHead.findFirst({ select: { treeSize: true } }))?.treeSize ?? treeSize) - treeSize),
    }),
    continues: t.expose('continues', {
      type: 'EvidenceLogId',
      nullable: true,
      wire: { orNull: true },
      description: 'The log that it continues, which ended after a loss; else null.',
    }),
    publish: t.expose('publish', { type: EvidencePublishEnum }),
    headEventSeconds: t.exposeInt('headEventSeconds', { description: 'Seconds, at least, between two `evidence.head` events.' }),
  }),
});

const EvidenceHead = builder.objectRef<Checkpoint>('EvidenceHead').implement({
  description: 'A signed head of the log: everything that was done until then, in one hash.',
  fields: (t) => ({
    logId: t.expose('logId', { type: 'EvidenceLogId', description: 'The log.' }),
    treeSize: t.field({ type: 'Cents', description: 'Number of leaves: a whole number.', resolve: ({ treeSize }) => Number(treeSize) }),
    rootHash: t.string({ description: 'Hash of the root, in hex.', resolve: ({ root }) => hex(root) as string }),
    checkpoint: t.exposeString('checkpoint', {
      description: 'The signed note (C2SP tlog-checkpoint): keep it, and nothing before it can be denied.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was signed.' }),
  }),
});

const EvidenceLeaf = builder.objectRef<ProvenLeaf>('EvidenceLeaf').implement({
  description: 'A leaf of the log with the proof that it is under a head, and what of it the caller may see.',
  fields: (t) => ({
    index: t.field({ type: 'Cents', description: 'Its place: a whole number, from 0 on.', resolve: ({ index }) => Number(index) }),
    lineId: t.expose('lineId', { type: 'AuditEntryId', description: 'The entry of the audit log that it stands for.' }),
    leafHash: t.string({ description: 'Its hash (RFC 6962), in hex.', resolve: ({ hash }) => hex(hash) as string }),
    entry: t.string({
      description: 'What the log has of it, 32 bytes in base64: a hash over the digests of its parts.',
      resolve: ({ entry }) => base64(entry),
    }),
    written: t.stringList({
      description: 'Digests of the parts that were written with the change, in base64 and in the order of their bytes.',
      resolve: ({ written }) => written.map(base64),
    }),
    sealed: t.stringList({
      description: 'Digests of the parts that were added when the leaf was made, in base64 and in the order of their bytes.',
      resolve: ({ sealed }) => sealed.map(base64),
    }),
    disclosures: t.stringList({
      description: 'The parts that the caller may see, as disclosures of SD-JWT (RFC 9901): the digest of each is SHA-256 of the text.',
      resolve: ({ disclosures }) => disclosures.map(({ text }) => text),
    }),
    inclusionProof: t.stringList({
      description: 'Hashes that lead from the leaf to the root, the lowest first, in base64.',
      resolve: ({ proof }) => proof.map(base64),
    }),
    treeSize: t.field({
      type: 'Cents',
      description: 'Size of the tree in which it is proven: a whole number.',
      resolve: ({ head }) => Number(head.treeSize),
    }),
    treeHead: t.string({ description: 'Root of that tree, in hex.', resolve: ({ head }) => hex(head.root) as string }),
    checkpoint: t.string({ description: 'The signed head of that tree.', resolve: ({ head }) => head.checkpoint }),
  }),
});

const EvidenceConsistency = builder.objectRef<Consistency>('EvidenceConsistency').implement({
  description: 'The proof that the tree of one head is the beginning of the tree of another.',
  fields: (t) => ({
    from: t.field({ type: 'Cents', description: 'Size of the earlier tree: a whole number.', resolve: ({ from }) => Number(from) }),
    to: t.field({ type: 'Cents', description: 'Size of the later tree: a whole number.', resolve: ({ to }) => Number(to.treeSize) }),
    proof: t.stringList({ description: 'The hashes, in the order of RFC 6962 and in base64.', resolve: ({ proof }) => proof.map(base64) }),
    checkpoint: t.string({ description: 'The signed head of the later tree.', resolve: ({ to }) => to.checkpoint }),
  }),
});

const size = z.number().int().min(1);
const sizeOf = (value: number | null | undefined): bigint | null => (value == null ? null : BigInt(value));
const ofOperators = { audience: 'operator', scope: 'evidence:read' } as const;

builder.queryFields((t) => ({
  evidenceLog: t.field({
    route: rest(
      'GET /v1/evidence',
      'Read the transparency log of the workspace: its name, its keys and its newest head. It is the tree over the audit log, as others follow it.',
      {
        name: 'getEvidence',
      },
    ),
    type: EvidenceLog,
    authScopes: ofOperators,
    ...facts({ errors: [HeadNotSigned] }),
    resolve: (_root, _args, ctx) => currentLog(ctx),
  }),
  evidenceHead: t.field({
    route: rest(
      'GET /v1/evidence/head',
      'Read a signed head: by default the newest, which is over everything that was done until now. Whoever keeps it can prove later that nothing before it was changed.',
      { name: 'getEvidenceHead' },
    ),
    type: EvidenceHead,
    authScopes: ofOperators,
    args: {
      treeSize: t.arg({
        type: 'Cents',
        required: false,
        description: 'A size that had a head: all of the last day are kept, then the last of each hour.',
        validate: size,
      }),
    },
    ...facts({ errors: [NotFound, LogHalted, HeadNotSigned] }),
    resolve: async (_root, { treeSize }, ctx) => (await headAt(ctx, sizeOf(treeSize))).head,
  }),
  evidenceLeaf: t.field({
    route: rest(
      'GET /v1/evidence/leaves/{leaf}',
      'Read a leaf with its proof, by its index or by the id of its entry of the audit log. Its parts are shown to who may read the audit log; to anybody else their digests.',
      { name: 'getEvidenceLeaf' },
    ),
    type: EvidenceLeaf,
    authScopes: ofOperators,
    args: {
      leaf: t.arg.string({ description: 'Index of the leaf, or id of the entry.', validate: z.string().min(1).max(60) }),
      treeSize: t.arg({
        type: 'Cents',
        required: false,
        description: 'Prove it under the head of this size; by default the newest.',
        validate: size,
      }),
    },
    ...facts({ errors: [NotFound, LogHalted, HeadNotSigned, LineArchived] }),
    resolve: (_root, { leaf, treeSize }, ctx) => provenLeaf(ctx, { leaf, treeSize: sizeOf(treeSize) }),
  }),
  evidenceConsistency: t.field({
    route: rest(
      'GET /v1/evidence/consistency',
      'Prove that the tree of an earlier head is the beginning of the tree of a later one. Whoever kept the earlier head checks it without us.',
      {
        name: 'getEvidenceConsistency',
      },
    ),
    type: EvidenceConsistency,
    authScopes: ofOperators,
    args: {
      from: t.arg({ type: 'Cents', description: 'Size of the earlier tree.', validate: size }),
      to: t.arg({ type: 'Cents', required: false, description: 'Size of the later head; by default the newest.', validate: size }),
    },
    ...facts({ errors: [NotFound, LogHalted, HeadNotSigned] }),
    resolve: (_root, { from, to }, ctx) => consistency(ctx, { from: BigInt(from), to: sizeOf(to) }),
  }),
}));

builder.mutationFields((t) => ({
  updateEvidenceLog: t.field({
    route: rest(
      'PUT /v1/evidence',
      'Set who may read the log without a credential, and how often its heads are told as events. Its id is all that a reader needs.',
      {
        name: 'updateEvidence',
      },
    ),
    type: EvidenceLog,
    authScopes: { audience: 'operator', scope: 'evidence:write' },
    args: { input: t.arg({ type: UpdateEvidenceLogInput }) },
    ...facts({ errors: [HeadNotSigned] }),
    resolve: once((ctx, { input }) => updateLog(ctx, input), logById),
  }),
}));
