// The OpenAPI documents of what can be paid for, where clients that have an address alone look for them: at the root, and below an address.
import { z } from 'zod';
import type { DoorAnswer, DoorRequest, OpenDoor } from '../../../platform/door.js';
import { entityTag, namesTag } from '../../../platform/entity-tag.js';
import { readPaidRequest } from '../payment/paid-request.js';
import type { PaymentScheme } from '../wire/payment-scheme.js';
import { type DocumentFolder, documentFolders, documentOfAll, documentOfOne, type PaymentDocument } from './payment-document.js';

const tag = { name: 'x402' };

const document = z.object({
  openapi: z.string().describe('Version of OpenAPI.'),
  info: z
    .object({
      title: z.string().describe('What this is.'),
      version: z.string().describe('Its version.'),
      description: z.string().describe('What it is for.'),
    })
    .describe('What the document is about.'),
  'x-service-info': z
    .object({
      categories: z.array(z.string()).describe('What is sold.'),
      docs: z.record(z.string(), z.string()).describe('Where the documentation is.'),
    })
    .describe('Facts of the service.'),
  servers: z.array(z.object({ url: z.string().describe('Its address.') })).describe('Where the paths begin.'),
  paths: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .describe('The paid doors: each operation has its offers in `x-payment-info`.'),
});

const answers = { 200: { schema: document }, 304: { description: 'The document is the one that If-None-Match names.' } };
const headers = [{ name: 'If-None-Match', description: 'The ETag of the document that is at hand.' }];
const description =
  'An OpenAPI document. `x-payment-info.offers` of an operation has a member for each challenge of its 402, which counts.';

/** The document, which may be kept for five minutes; 304 where the client has it. */
function answerWith(content: PaymentDocument, { header }: DoorRequest): DoorAnswer {
  const etag = entityTag(JSON.stringify(content));
  return {
    status: namesTag(header('If-None-Match'), etag) ? 304 : 200,
    body: content,
    headers: { 'Cache-Control': 'public, max-age=300', ETag: etag },
  };
}

const ids: Record<DocumentFolder, string> = { '': 'describePaidDoors', '/x402': 'describePaidDoorsBelow' };

const documentDoor = (folder: DocumentFolder, schemes: readonly PaymentScheme[]): OpenDoor => ({
  id: ids[folder],
  method: 'GET',
  path: `${folder}/openapi.json`,
  tag,
  summary: 'What can be paid for here',
  description: `${description} It has the discoverable endpoints of this environment that take payments, newest first, at most 500.`,
  headers,
  answers,
  failures: [400, 503],
  take: async (platform, request) => answerWith(await documentOfAll({ ...request, platform, schemes }, folder), request),
});

/** The documents of all doors, and of one. */
export const paymentDocumentDoors = (schemes: readonly PaymentScheme[]): OpenDoor[] => [
  ...documentFolders.map((folder) => documentDoor(folder, schemes)),
  {
    id: 'describePaidDoor',
    method: 'GET',
    path: '/x402/{endpoint_id}/openapi.json',
    tag,
    summary: 'What one paid door costs',
    description: `${description} Of an endpoint that takes payments, discoverable or not.`,
    headers,
    answers,
    failures: [400, 404, 409, 503],
    take: async (platform, request) => {
      const { endpoint } = await readPaidRequest(platform, request);
      return answerWith(documentOfOne({ ...request, platform, schemes }, endpoint), request);
    },
  },
];
