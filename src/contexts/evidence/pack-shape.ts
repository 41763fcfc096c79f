// The form of a pack, member by member. verify/pack.schema.json and openapi.json are printed from it: whoever reads packs needs nothing else.
import { z } from 'zod';
import { partNames } from '../../platform/audit-leaf.js';
import type { Role } from './transfer-leaf.sql.js';

/** The name of this form. */
export const packFormat = 'agent-payments/evidence@1';

const roles = [
  'payment',
  'hold',
  'capture',
  'checkout',
  'mandate',
  'approval',
  'delivery',
  'refund',
  'dispute',
  'policy',
] as const satisfies Role[];

/** The last character of 32 bytes has two bits that no byte needs: they are zero. */
const hash = z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/);
const hashes = (most?: number) => (most === undefined ? z.array(hash) : z.array(hash).max(most));
/** A tree of 2^64 leaves has proofs of so many hashes; one of consistency has twice as many at most. */
const longestPath = 64;
const size = z.union([z.int().min(0), z.string().regex(/^[1-9]\d{15,18}$/)]);
const jws = z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}$/);

const disclosure = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .meta({
    description: 'A part as a disclosure of SD-JWT (RFC 9901): base64url of salt, name and value as RFC 8785 spells them.',
    contentEncoding: 'base64url',
    contentMediaType: 'application/json',
    contentSchema: {
      type: 'array',
      prefixItems: [
        { type: 'string', description: '16 bytes or more in base64url.' },
        { enum: [...partNames] },
        { description: 'Its value.' },
      ],
      minItems: 3,
      items: false,
    },
  });

const leaf = z.strictObject({
  role: z.enum(roles).describe('What the leaf says of the payment.'),
  index: size.describe('Its place in the log: a whole number, beyond 2^53 as text.'),
  proof: hashes(longestPath).describe('Hashes that lead from the leaf to the root, the lowest first, in base64.'),
  written: hashes().min(1).describe('Digests of the parts that were written with the change, in base64 and in the order of their bytes.'),
  sealed: hashes().describe('Digests of the parts that were added when the leaf was made, likewise.'),
  disclosures: z.array(disclosure).describe('The parts that the reader may see.'),
});

const key = z
  .strictObject({
    kty: z.literal('EC').describe('Kind of the key.'),
    crv: z.literal('P-256').describe('Its curve.'),
    alg: z.literal('ES256').describe('The algorithm that it signs with.'),
    use: z.literal('sig').describe('It signs.'),
    kid: z.string().describe('Its name.'),
    x: z.string().describe('Its point: the first coordinate, in base64url.'),
    y: z.string().describe('The second coordinate.'),
  })
  .describe('A key of the platform that has signed something in here.');

const log = z.strictObject({
  origin: z.string().describe('Name of the log.'),
  continues: z.string().nullable().describe('Name of the log that it continues, after a loss; receipts of before name that one.'),
  vkeys: z
    .array(z.string().regex(/^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/))
    .min(1)
    .describe('The keys of the log, as readers of signed notes take them (C2SP).'),
  key_jws: jws.nullable().describe('The statement of the platform that the first of these keys is that of the log.'),
  jwks: z.strictObject({ keys: z.array(key).min(1).describe('Its keys.') }).describe('A JWK Set.'),
});

const attached = z.strictObject({
  receipt_jws: jws.describe('The receipt: a JWS of the platform over the digests of the leaf that completed the payment.'),
  mandate_jwt: jws.optional().describe('The JWT of the mandate, in the version that the payment was made by.'),
  refund_receipts: z.array(jws).min(1).optional().describe('The receipts of the refunds.'),
  x402: z
    .string()
    .regex(/^[A-Za-z0-9+/]+={0,2}$/)
    .optional()
    .describe('What the payer signed for a payment over x402, in base64.'),
});

/** A pack. */
export const packShape = z.strictObject({
  format: z.literal(packFormat).describe('The name of this form.'),
  subject: z
    .strictObject({
      type: z.literal('transfer').describe('What it is.'),
      id: z
        .string()
        .regex(/^tx_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        .describe('Its id.'),
    })
    .describe('What is proven.'),
  log: log.describe('The log that the payment stands in.'),
  checkpoint: z
    .string()
    .regex(/^[^\s+]+\n[1-9][0-9]{0,18}\n[A-Za-z0-9+/]{43}=\n\n(— [^\s+]+ [A-Za-z0-9+/]+={0,2}\n)+$/)
    .describe('The signed head under which every leaf of the pack is (C2SP tlog-checkpoint).'),
  consistency: z
    .strictObject({
      from: size.describe('Size of the earlier tree.'),
      proof: hashes(2 * longestPath).describe('The hashes, in the order of RFC 6962, in base64.'),
    })
    .nullable()
    .describe('How this head follows from the one that `from_size` names.'),
  leaves: z.array(leaf).min(1).describe('The payment, and what it stands on, in the order of the log.'),
  attached: attached.describe('Documents whose hashes are in the leaves, or that are signed over them.'),
});

/** The form as JSON Schema 2020-12: the text of verify/pack.schema.json. */
export function printPackSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(packShape);
  const title = 'A pack of evidence of a payment';
  const description = 'What proves a payment, in one file: the file is this JSON as RFC 8785 spells it, and has at most 256 KiB.';
  return `${JSON.stringify({ $schema, title, description, ...schema }, null, 2)}\n`;
}
