// The public documents of UCP: the profiles of the platform and of merchants, in each version, and the schemas of payment handlers.
import { z } from 'zod';
import type { DoorAnswer, DoorRequest, OpenDoor } from '../../platform/door.js';
import { entityTag, namesTag } from '../../platform/entity-tag.js';
import { NotFound } from '../../platform/errors.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { profileAnswer } from './answer.js';
import type { Codec } from './codec.js';
import { codecOf } from './codec-table.js';
import { businessProfilePath, placeBelow, placeOfShop, platformProfilePath } from './merchant-place.js';
import { handlerOf, handlerSchemaPath, instrumentSchema } from './payment-handler.js';
import { businessProfile, earlier, platformProfile } from './profile.js';
import { current } from './version.js';

const tag = { name: 'ucp' };
/** What an open document may be kept for. */
const cached = { 'Cache-Control': 'public, max-age=3600' };
const profileFacts = {
  tag,
  method: 'GET',
  headers: [{ name: 'If-None-Match', description: 'The ETag of the profile that is at hand.' }],
  answers: { 200: { schema: profileAnswer }, 304: { description: 'The profile is the one that If-None-Match names.' } },
} as const;

/** A profile, which may be kept for five minutes; 304 where the reader has it. */
function profileOf(body: object, { header }: DoorRequest): DoorAnswer {
  const tagOfBody = entityTag(JSON.stringify(body));
  const status = namesTag(header('If-None-Match'), tagOfBody) ? 304 : 200;
  return { status, body, headers: { 'Cache-Control': 'public, max-age=300', ETag: tagOfBody } };
}

/** The codec of the version that a path names, or of ours where it names none. Ours has no page of its own: 404. */
function profiledIn({ version }: DoorRequest['params']): Codec {
  const found = version === undefined ? codecOf(current) : earlier.find((codec) => codec.version === version);
  if (found === undefined) throw new NotFound();
  return found;
}

const takePlatformProfile: OpenDoor['take'] = async (platform, request) =>
  profileOf(await platformProfile(platform, request.origin, profiledIn(request.params)), request);

const takeBusinessProfile: OpenDoor['take'] = async (platform, request) => {
  const codec = profiledIn(request.params);
  const { origin, shop, params } = request;
  const id = parseId('merchant', params['merchant_id']);
  if (id === null) throw new NotFound();
  const place = shop === undefined ? placeBelow(origin, printId('merchant', id)) : placeOfShop(shop.origin);
  return profileOf(await businessProfile(platform, origin, codec, place), request);
};

const versionPath = '/{version}';

const profileDoors: readonly OpenDoor[] = [
  {
    ...profileFacts,
    id: 'getUcpProfile',
    path: platformProfilePath,
    summary: 'The UCP profile of the platform',
    description:
      'What is spoken here, the keys, and the templates of the endpoint and the profile of a merchant in the `config` of the service. `supported_versions` names the profiles of the versions before.',
    failures: [400, 503],
    take: takePlatformProfile,
  },
  {
    ...profileFacts,
    id: 'getUcpProfileOfVersion',
    path: platformProfilePath + versionPath,
    summary: 'The UCP profile of the platform in a version before',
    description: 'The profile that `supported_versions` names, complete.',
    failures: [400, 404, 503],
    take: takePlatformProfile,
  },
  {
    ...profileFacts,
    id: 'getUcpBusinessProfile',
    path: businessProfilePath,
    atShop: platformProfilePath,
    summary: 'The UCP profile of a merchant',
    description: 'The endpoint of its checkouts. It says nothing of whether there is such a merchant.',
    failures: [400, 404, 503],
    take: takeBusinessProfile,
  },
  {
    ...profileFacts,
    id: 'getUcpBusinessProfileOfVersion',
    path: businessProfilePath + versionPath,
    atShop: platformProfilePath + versionPath,
    summary: 'The UCP profile of a merchant in a version before',
    description: 'The profile that `supported_versions` names, complete.',
    failures: [400, 404, 503],
    take: takeBusinessProfile,
  },
];

const handlerDoor: OpenDoor = {
  tag,
  id: 'getUcpHandlerSchema',
  method: 'GET',
  path: handlerSchemaPath,
  atShop: handlerSchemaPath,
  summary: 'The schema of the instruments of a payment handler',
  description: 'JSON Schema of what `payment.instruments` holds for the handler.',
  answers: { 200: { schema: z.looseObject({}) } },
  failures: [400, 404, 503],
  async take(_platform, { params }) {
    const id = handlerOf(params['handler'] ?? '');
    if (id === null) throw new NotFound();
    return { body: instrumentSchema(id), headers: cached };
  },
};

/** What is open to anybody. */
export const documentDoors: readonly OpenDoor[] = [...profileDoors, handlerDoor];
