// The wire of the directories of keys (draft-meunier-http-message-signatures-directory): public, in pages, each signed.
import { z } from 'zod';
import type { Platform } from '../../../platform/ctx.js';
import type { DoorAnswer, DoorRequest, OpenDoor } from '../../../platform/door.js';
import { namesTag, weakTag } from '../../../platform/entity-tag.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { parseId } from '../../../platform/schema/id.js';
import { agentDirectory, type Directory, directoryPath, directoryType, keyDirectory, pageStart, signDirectory } from './key-directory.js';

const tag = { name: 'cards' };

const key = z.strictObject({
  kty: z.enum(['OKP', 'EC']).describe('Kind of the key (RFC 7517).'),
  crv: z.enum(['Ed25519', 'P-256']).describe('Its curve.'),
  kid: z.string().describe('The thumbprint of the key (RFC 7638).'),
  x: z.string().describe('The public key, or its x coordinate, in base64url.'),
  y: z.string().optional().describe('The y coordinate of the public key, in base64url.'),
  use: z.literal('sig').describe('It signs.'),
  alg: z.string().optional().describe('Its algorithm.'),
  nbf: z.int().optional().describe('From when on it counts, in Unix seconds.'),
});
const directory = z.strictObject({ keys: z.array(key).describe('Public keys of agents.') });
const answers = {
  200: { schema: directory, media: directoryType, description: 'A set of JWK. The last is the key that signs the answer.' },
  304: { description: 'The reader has these keys.' },
};
const headers = [{ name: 'If-None-Match', description: 'The ETag of a directory that the reader has.' }];

/**
 * A directory with its signature, or 304 for a reader that has its keys. Whoever keeps it may do so for a minute: a key that was revoked is
 * not in it for longer. The ETag is a weak one: it names the keys, and each answer has a signature of its own. Any page on the web may read
 * what is public.
 */
async function answer(platform: Platform, { origin, header }: DoorRequest, { keys, next }: Directory): Promise<DoorAnswer> {
  const text = JSON.stringify({ keys });
  const etag = weakTag(text);
  const link = next === null ? {} : { Link: `<${origin}${directoryPath}?after=${next}>; rel="next"` };
  const headers = { 'Cache-Control': 'public, max-age=60', ETag: etag, 'Access-Control-Allow-Origin': '*', ...link };
  if (namesTag(header('If-None-Match'), etag)) return { status: 304, body: {}, headers };
  return { body: { keys }, headers: { ...headers, ...(await signDirectory(platform, new URL(origin).host, text)) } };
}

export const keyDirectoryDoor: OpenDoor = {
  tag,
  id: 'listSignatureKeys',
  method: 'GET',
  path: directoryPath,
  summary: 'The public keys by which agents sign HTTP messages',
  description:
    'A directory of Web Bot Auth: the active keys of all agents of this environment, in pages of at most 500. A page before the last names the next one in `Link`, `?after=`. It is signed by a key of `/.well-known/jwks.json`, which is the last one in it.',
  answers,
  headers,
  failures: [400, 503],
  async take(platform, request) {
    const { after = '', ...others } = request.query;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new ValidationFailed([{ path: [unknown], message: 'is not known here', rule: 'unknown' }]);
    const start = typeof after === 'string' ? pageStart(after) : null;
    if (start === null) throw new ValidationFailed([{ path: ['after'], message: 'must be that of the Link of a page', rule: 'cursor' }]);
    return answer(platform, request, await keyDirectory(platform, request.environment, start));
  },
};

export const agentKeyDirectoryDoor: OpenDoor = {
  tag,
  id: 'listAgentSignatureKeys',
  method: 'GET',
  path: `${directoryPath}/{agent_id}`,
  summary: 'The public key by which one agent signs HTTP messages',
  description: 'The directory of one agent, for its `Signature-Agent`. 404 for an agent without a key that counts now.',
  answers,
  headers,
  failures: [400, 404, 503],
  async take(platform, request) {
    const id = parseId('agent', request.params['agent_id']);
    const found = id === null ? null : await agentDirectory(platform, request.environment, id);
    if (found === null) throw new NotFound();
    return answer(platform, request, found);
  },
};
