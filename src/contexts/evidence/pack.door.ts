// The door at which packs are taken: a file, not wrapped, whose bytes are the same whenever it is asked for.
import { z } from 'zod';
import { type PartName, partNames } from '../../platform/audit-leaf.js';
import type { GuardedDoor, OpenDoor } from '../../platform/door.js';
import { entityTag } from '../../platform/entity-tag.js';
import { type FieldIssue, InvalidJson, NotFound, ValidationFailed } from '../../platform/errors.js';
import { nearestName, quotedName } from '../../platform/misspelt-name.js';
import { parseId } from '../../platform/schema/id.js';
import { readBy } from '../../platform/zod-issue.js';
import { openLink } from './link.js';
import { type PackRequest, packOf } from './pack.js';
import { packShape } from './pack-shape.js';

export const packDoor: GuardedDoor = {
  id: 'getTransferEvidence',
  method: 'GET',
  path: '/v1/transfers/{id}/evidence',
  audience: 'any',
  scope: 'transfers:read',
  portal: 'transfers:read',
  tag: { name: 'evidence' },
  summary: 'Download what proves a payment',
  description:
    'One file that anybody checks without us: who paid whom, by whose authority, under which rules, and the proof that it stands in the log. What the caller may not see is in it as a digest. It is at most 256 KiB, and the same bytes whenever it is asked for with the same `tree_size`.',
  query: [
    { name: 'tree_size', description: 'Prove it under the head of this size; by default the newest.' },
    { name: 'from_size', description: 'Prove as well that the head of this size, which you have kept, is the beginning of that one.' },
    { name: 'parts', description: `Show these parts alone, with commas between them: ${partNames.join(', ')}.` },
  ],
  answers: { 200: { schema: packShape } },
  failures: [400, 404, 409, 503],
  take: async (ctx, { params, query }) => {
    const text = await packOf(ctx, readRequest(params['id'] ?? '', query));
    const name = `${params['id']}.evidence.json`;
    return {
      body: JSON.parse(text),
      headers: { ETag: entityTag(text), 'Content-Disposition': `attachment; filename="${name}"`, 'Cache-Control': 'private, no-cache' },
    };
  },
};

const openRequest = z.strictObject({ token: z.string().min(1).max(200).describe('The text behind `#` in the address of the link.') });

function jsonOf(raw: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch (cause) {
    throw new InvalidJson('The body is not valid JSON.', cause);
  }
}

/** Anybody who has a link: twenty a minute for an address, so that nobody tries tokens. */
export const openLinkDoor: OpenDoor = {
  id: 'openEvidenceLink',
  method: 'POST',
  path: '/v1/evidence/open',
  tag: { name: 'evidence' },
  summary: 'Open a link to what proves a payment',
  description: 'The pack with the parts of the link, for whoever has its token. 404 for a link that is unknown, has ended, or was revoked.',
  rateClass: 'login',
  request: { schema: openRequest, example: { token: 'evl_AZ3-HkRScqCmT29rkOe1Xg9rkOe1XgAZ3HkRScqCmT29rkOe1Xg' } },
  answers: { 200: { schema: packShape } },
  failures: [400, 404, 409, 503],
  take: async (platform, { environment, raw }) => {
    const { token } = readBy(openRequest, jsonOf(raw));
    return { body: JSON.parse(await openLink(platform, token, environment)), headers: { 'Cache-Control': 'no-store' } };
  },
};

function readRequest(path: string, query: Readonly<Record<string, unknown>>): PackRequest {
  const id = parseId('transfer', path);
  if (id === null) throw new NotFound();
  const issues: FieldIssue[] = [];
  const request = {
    id,
    treeSize: readSize(query, 'tree_size', issues),
    fromSize: readSize(query, 'from_size', issues),
    parts: readParts(query['parts'], issues),
  };
  if (issues.length > 0) throw new ValidationFailed(issues);
  return request;
}

function readSize(query: Readonly<Record<string, unknown>>, name: string, issues: FieldIssue[]): bigint | null {
  const value = query[name];
  if (value === undefined) return null;
  if (typeof value === 'string' && /^[1-9]\d{0,17}$/.test(value)) return BigInt(value);
  issues.push({ path: [name], message: 'must be a whole number from 1 on', rule: 'range' });
  return null;
}

function readParts(value: unknown, issues: FieldIssue[]): PartName[] | undefined {
  if (value === undefined) return undefined;
  const names = typeof value === 'string' ? value.split(',') : [];
  const isKnown = (name: string): name is PartName => partNames.includes(name as PartName);
  const unknown = names.find((name) => !isKnown(name));
  if (names.length > 0 && unknown === undefined) return names.filter(isKnown);
  const meant = unknown === undefined ? undefined : nearestName(unknown, partNames);
  const hint =
    meant === undefined
      ? `must be names of parts: ${partNames.join(', ')}`
      : `has no part ${quotedName(unknown ?? '')}; did you mean ${meant}?`;
  issues.push({ path: ['parts'], message: hint, rule: 'enum' });
  return undefined;
}
