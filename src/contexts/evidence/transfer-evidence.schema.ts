// The GraphQL face of what is proven of one transfer: its receipt, its pack, and what its sides say was delivered.
import { z } from 'zod';
import { CaptureBy } from '../../generated/prisma/enums.js';
import { partNames } from '../../platform/audit-leaf.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, openToPortal } from '../../platform/schema/builder.js';
import { type Delivery, deliveryById, recordDelivery } from './delivery.js';
import { HeadNotSigned, LogHalted, NoSuchReceipt } from './errors.js';
import { EvidencePartEnum } from './link.input.js';
import { packOf } from './pack.js';
import { type Receipt, receiptOf } from './receipt.js';
import { receiptFormats } from './receipt-view.js';
import { rest } from './rest.js';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const size = z.number().int().min(1);
const sizeOf = (given: number | null | undefined): bigint | null => (given == null ? null : BigInt(given));

const TransferReceipt = builder.objectRef<Receipt>('TransferReceipt').implement({
  description: 'What the platform has signed of a completed transfer, and the proof that it stands in the log.',
  fields: (t) => ({
    receiptJws: t.string({
      description:
        'The receipt: a JWS (ES256, `typ: receipt+sd-jwt`) over the digests of what was written with the payment. It says the same for ever.',
      resolve: ({ jws }) => jws,
    }),
    leafIndex: t.field({ type: 'Cents', description: 'Its place in the log: a whole number.', resolve: ({ leaf }) => Number(leaf.index) }),
    inclusionProof: t.stringList({
      description: 'Hashes that lead from the leaf to the root, the lowest first, in base64.',
      resolve: ({ leaf }) => leaf.proof.map(base64),
    }),
    // Gap G-795: A receipt shows `sealed` too: without the digests that are not in its JWS nobody could work out the leaf.
    sealed: t.stringList({
      description:
        'Digests of the parts that were added when the leaf was made, in base64: the leaf is over them too. Empty where there are none.',
      resolve: ({ leaf }) => leaf.sealed.map(base64),
    }),
    treeHead: t.string({ description: 'Root of the tree in which it is proven, in hex.', resolve: ({ leaf }) => hex(leaf.head.root) }),
    treeSize: t.field({
      type: 'Cents',
      description: 'Size of that tree: a whole number.',
      resolve: ({ leaf }) => Number(leaf.head.treeSize),
    }),
    checkpoint: t.string({ description: 'The signed head of that tree.', resolve: ({ leaf }) => leaf.head.checkpoint }),
  }),
});

const ReceiptFormatEnum = builder.enumType('ReceiptFormat', {
  description: 'A protocol that has receipts of its own. `x402`: the receipt of its extension offer-receipt.',
  values: receiptFormats,
});

const SideEnum = builder.enumType(CaptureBy, {
  name: 'TransferSide',
  description: 'A side of a transfer: `payer`, or `payee`.',
});

const DeliveryType = builder.objectRef<Delivery>('TransferDelivery').implement({
  description: 'What a side of a transfer says was delivered for it, as a hash.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EvidenceDeliveryId' }),
    transferId: t.expose('transferId', { type: 'TransferId', description: 'The transfer.' }),
    side: t.expose('side', { type: SideEnum, description: 'Who says so.' }),
    sha256: t.string({ description: 'SHA-256 of what was delivered, in hex.', resolve: ({ sha256 }) => hex(sha256) }),
    requestSha256: t.string({
      nullable: true,
      description: 'SHA-256 of what was asked for, in hex; null where nobody said.',
      wire: { orNull: true },
      resolve: ({ requestSha256 }) => requestSha256 && hex(requestSha256),
    }),
    mediaType: t.exposeString('mediaType', { nullable: true, wire: { orNull: true }, description: 'Its media type.' }),
    bytes: t.field({
      type: 'Cents',
      nullable: true,
      wire: { orNull: true },
      description: 'Its length in bytes: a whole number.',
      resolve: ({ bytes }) => (bytes === null ? null : Number(bytes)),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was said.' }),
  }),
});

const RecordDeliveryPayload = builder.objectRef<Delivery>('RecordDeliveryPayload').implement({
  description: 'What a side says that was delivered, and whether it had said so before.',
  fields: (t) => ({
    delivery: t.field({ type: DeliveryType, description: 'What was said first.', resolve: (delivery) => delivery }),
    repeated: t.boolean({
      nullable: true,
      description: 'True where the side had said the same before, and nothing was written; else null.',
      resolve: ({ isRepeated }) => isRepeated ?? null,
    }),
  }),
});

const exampleDigest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const digest = z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits');

const RecordDeliveryInput = builder.inputType('RecordDeliveryInput', {
  description: 'What was delivered for a transfer, as hashes.',
  fields: (t) => ({
    sha256: t.string({ description: 'SHA-256 of what was delivered, in hex.', validate: digest, extensions: { example: exampleDigest } }),
    requestSha256: t.string({
      required: false,
      description: 'SHA-256 of what was asked for, in hex.',
      validate: digest,
      extensions: { example: exampleDigest },
    }),
    mediaType: t.string({
      required: false,
      description: 'Its media type.',
      validate: z.string().min(3).max(100),
      extensions: { example: 'application/json' },
    }),
    bytes: t.field({
      type: 'Cents',
      required: false,
      description: 'Its length in bytes: a whole number.',
      validate: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    }),
    side: t.field({
      type: SideEnum,
      required: false,
      description: 'For whom an operator says it; `payee` by default. An agent speaks for its own side.',
    }),
  }),
});
export type RecordDeliveryInput = typeof RecordDeliveryInput.$inferInput;

builder.queryFields((t) => ({
  transferReceipt: t.field({
    route: rest(
      'GET /v1/transfers/{id}/receipt',
      'Read the signed receipt of a completed transfer, and the proof that it stands in the log. Either side of the transfer may; whoever has it can check it without us.',
      { name: 'getTransferReceipt' },
    ),
    type: TransferReceipt,
    ...openToPortal('transfers:read'),
    args: {
      id: t.arg({ type: 'TransferId', description: 'The transfer.' }),
      treeSize: t.arg({
        type: 'Cents',
        required: false,
        description: 'Prove it under the head of this size; by default the newest.',
        validate: size,
      }),
      format: t.arg({
        type: ReceiptFormatEnum,
        required: false,
        description:
          'The receipt as a protocol spells it: `receipt_jws` is then that of the protocol. 422 for a transfer that it did not pay.',
      }),
    },
    ...facts({ errors: [NotFound, LogHalted, HeadNotSigned, StateConflict, NoSuchReceipt] }),
    resolve: (_root, { id, treeSize, format }, ctx) => receiptOf(ctx, { id, treeSize: sizeOf(treeSize), format: format ?? undefined }),
  }),
  transferEvidence: t.string({
    description:
      'What proves a completed transfer, as `GET /v1/transfers/{id}/evidence` sends it: JSON as RFC 8785 spells it. Its check looks at every character, so it is one text.',
    ...openToPortal('transfers:read'),
    args: {
      id: t.arg({ type: 'TransferId', description: 'The transfer.' }),
      treeSize: t.arg({
        type: 'Cents',
        required: false,
        description: 'Prove it under the head of this size; by default the newest.',
        validate: size,
      }),
      fromSize: t.arg({
        type: 'Cents',
        required: false,
        description: 'Prove as well that the head of this size, which you have kept, is the beginning of that one.',
        validate: size,
      }),
      parts: t.arg({
        type: [EvidencePartEnum],
        required: false,
        description: 'Show these parts alone, of those that the caller may see.',
        validate: z.array(z.string()).min(1).max(partNames.length),
      }),
    },
    ...facts({ errors: [NotFound, LogHalted, HeadNotSigned, StateConflict] }),
    resolve: (_root, { id, treeSize, fromSize, parts }, ctx) =>
      packOf(ctx, { id, treeSize: sizeOf(treeSize), fromSize: sizeOf(fromSize), parts: parts ?? undefined }),
  }),
}));

builder.mutationFields((t) => ({
  recordDelivery: t.field({
    route: rest(
      'POST /v1/transfers/{id}/delivery',
      'Say what was delivered for a completed transfer: its hash becomes a leaf of the log, and a part of the pack. Each side may, once, within 30 days; the same again is answered with what was said before.',
      { status: 201, body: 'delivery', existing: 'repeated' },
    ),
    type: RecordDeliveryPayload,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { id: t.arg({ type: 'TransferId', description: 'The transfer.' }), input: t.arg({ type: RecordDeliveryInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => recordDelivery(ctx, id, input), deliveryById),
  }),
}));
