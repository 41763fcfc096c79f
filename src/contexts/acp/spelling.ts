// How ACP spells a refusal: flat, with a JSONPath to what is wrong.
import { z } from 'zod';
import type { Spelling } from '../../platform/door.js';
import type { ApiError, FieldIssue } from '../../platform/errors.js';
import { jsonPath } from '../checkouts/json-path.js';
import { ApiVersionRefused, acpVersion } from './version.js';

export const acpError = z
  .strictObject({
    type: z.enum(['invalid_request', 'processing_error', 'service_unavailable']).describe('Kind of the error.'),
    code: z.string().describe('What is wrong, as a word for programs.'),
    message: z.string().describe('What is wrong, in words for people.'),
    param: z.string().optional().describe('JSONPath to what is wrong.'),
    supported_versions: z.array(z.string()).optional().describe('The versions that are spoken, where that of the request is not.'),
  })
  .meta({ id: 'AcpError', description: 'Why a request was not carried out.' });

/** Codes that ACP has a word of its own for. */
const codes: Readonly<Record<string, string>> = {
  idempotency_key_reused: 'idempotency_conflict',
  rate_limit_exceeded: 'rate_limited',
  checkout_expired: 'expired',
};

/** Words for what is wrong with a member, by its rule. */
const faults: Readonly<Record<string, string>> = {
  unknown_item: 'invalid_item_id',
  required: 'missing',
  unsupported: 'unsupported',
};

/** Members of our own inputs, as the wire has them. */
const members: ReadonlyMap<string | number, readonly string[]> = new Map([
  ['lines', ['line_items']],
  ['selections', ['selected_fulfillment_options']],
  ['optionId', ['option_id']],
  ['itemIds', ['item_ids']],
  ['fromWalletId', ['payment_data', 'instrument', 'credential', 'token']],
  ['mandateId', ['payment_data', 'instrument', 'credential', 'token']],
]);

function typeOf(status: number): z.infer<typeof acpError>['type'] {
  if (status === 503 || status === 429) return 'service_unavailable';
  return status >= 500 ? 'processing_error' : 'invalid_request';
}

/** Where a member stands in the body; undefined for a header, and for the request as a whole. */
function paramOf({ path }: FieldIssue): string | undefined {
  const [first] = path;
  if (first === undefined || /^[A-Z]/.test(String(first))) return undefined;
  return jsonPath(path.flatMap((step): readonly (string | number)[] => members.get(step) ?? [step]));
}

function codeOf({ code, fields: [first] = [] }: Pick<ApiError, 'code'> & { fields?: readonly FieldIssue[] | undefined }): string {
  if (code !== 'validation_failed') return codes[code] ?? code;
  return faults[first?.rule ?? ''] ?? 'invalid';
}

/** Spells an error as ACP does. */
export const spellAcp: Spelling = (error) => {
  const [first] = error.fields ?? [];
  const param = first === undefined ? undefined : paramOf(first);
  const body: z.infer<typeof acpError> = {
    type: typeOf(error.status),
    code: codeOf(error),
    message: first === undefined || error.status !== 400 ? error.message : `${param ?? first.path.join('.')} ${first.message}`.trim(),
    ...(param !== undefined && { param }),
    ...(error instanceof ApiVersionRefused && { supported_versions: [acpVersion] }),
  };
  return { status: error.status, body };
};
