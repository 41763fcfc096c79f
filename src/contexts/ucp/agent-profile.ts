// The profile of the agent that asks, by its UCP-Agent header: fetched through the egress guard, bounded, kept for a minute. It decides
// what both sides can say to each other and by which keys requests are signed; who asks, the credential decides.
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import { egressProblem } from '../../platform/outbound/guard.js';
import { parseDictionary } from '../../platform/structured-field.js';
import { capabilityNames } from './capability.js';
import type { Codec } from './codec.js';
import { codecOf, codecs } from './codec-table.js';
import { InvalidProfileUrl, ProfileMalformed, ProfileUnreachable, VersionUnsupported } from './errors.js';
import { type CachedProfile, type ProfileKey, type ProfileOutcome, profilesOf } from './profile-cache.js';
import { orderCapability, versionPattern } from './version.js';

/** The specification asks for a bound of 128 KiB at least. */
const longestProfile = 128 * 1024;
const fetchTimeoutMs = 3_000;
const mostKeys = 20;
const longestKid = 128;
const mostCapabilities = 200;
/** Of a fault: the profile chose the names in it. */
const longestReason = 300;

export interface AgentProfile extends CachedProfile {
  url: string;
}

// Gap G-284: The credential says who asks; the profile gives capabilities and keys, and a signature alone gives no access.
/**
 * The profile that the header names. 400 `invalid_profile_url`, 424 `profile_unreachable`, 422 `profile_malformed` and
 * `version_unsupported`, 429 where the workspace has had too many fetched. In the sandbox the private hosts that webhooks may reach count
 * here too.
 */
export async function agentProfile(ctx: Pick<Ctx, 'platform' | 'workspace'>, header: string): Promise<AgentProfile> {
  const { platform, workspace } = ctx;
  const url = profileUrl(header);
  const allowHosts = workspace.environment === 'test' ? platform.config.webhookAllowHosts : [];
  const problem = egressProblem(url, allowHosts);
  if (problem !== undefined) throw new InvalidProfileUrl(problem);
  const outcome = await profilesOf(platform).get(workspace, url, () => fetchProfile(ctx, url));
  if ('failure' in outcome) throw outcome.failure;
  return { ...outcome.profile, url };
}

/** The address in `UCP-Agent: profile="..."`, a dictionary whose other members are left alone. */
function profileUrl(header: string): string {
  if (header === '') throw new InvalidProfileUrl('is missing');
  const profile = parseDictionary(header)?.get('profile');
  if (profile?.kind !== 'item' || profile.value.type !== 'string') throw new InvalidProfileUrl('is no dictionary with a quoted profile');
  return profile.value.value;
}

async function fetchProfile(ctx: Pick<Ctx, 'platform' | 'workspace'>, url: string): Promise<ProfileOutcome> {
  try {
    return { profile: await readProfile(ctx, url) };
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    return { failure };
  }
}

async function readProfile(
  { platform: { outbound }, workspace }: Pick<Ctx, 'platform' | 'workspace'>,
  url: string,
): Promise<CachedProfile> {
  const mayBePrivate = workspace.environment === 'test';
  const limits = { longest: longestProfile, timeoutMs: fetchTimeoutMs };
  const { status, body, isCut, error, refused } = await outbound.get(url, { workspaceId: workspace.id, mayBePrivate, ...limits });
  if (refused) throw new InvalidProfileUrl('leads to a private, local or reserved address');
  if (status === null) throw new ProfileUnreachable(error ?? 'no answer');
  if (status >= 300 && status < 400) throw new ProfileUnreachable(`it answered ${status}, and redirects are not followed`);
  if (status < 200 || status >= 300) throw new ProfileUnreachable(`it answered ${status}`);
  if (isCut) throw new ProfileMalformed(`it has more than ${longestProfile / 1024} KiB, or broke off`);
  return parseProfile(body);
}

const version = z.string().regex(versionPattern);
const entity = z.looseObject({ version });
const part = z.string().max(64).optional().catch(undefined);
/** What of a key is used; the rest is not kept. One of a kind that is not known here may have anything. */
const keyParts = {
  kid: z.string().max(longestKid),
  kty: z.string().max(20),
  crv: part,
  x: part,
  y: part,
  alg: part,
  use: part,
  key_ops: z.array(z.string().max(20)).max(10).optional().catch([]),
};
const jwk = z.object(keyParts);
/** The members of a JWK that make it a private key, or a secret. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const publicJwk = z
  .looseObject(keyParts)
  .refine((key) => !privateMembers.some((name) => name in key), 'must be a public key')
  .transform((key): ProfileKey => jwk.parse(key));

// Gap G-751: `supported_versions` of a platform are left alone, in a leaf too: the profile that was named says the version.
/** What a profile of a version has, as far as it is read. */
function shapeOf({ names, keysArePublic }: Codec) {
  const registry = <Entity extends z.ZodType>(one: Entity) =>
    z
      .record(z.string().max(200).regex(names), z.array(one).max(50))
      .refine((entries) => Object.keys(entries).length <= mostCapabilities, `must have at most ${mostCapabilities} entries`);
  const keySet = z.array<z.ZodType<ProfileKey>>(keysArePublic ? publicJwk : jwk).max(mostKeys);
  return z.object({
    ucp: z.object({
      version,
      services: registry(entity.extend({ transport: z.enum(['rest', 'mcp', 'a2a', 'embedded']) })),
      capabilities: registry(entity).optional(),
      payment_handlers: registry(entity.extend({ id: z.string() })),
    }),
    signing_keys: keySet.optional(),
    keys: keySet.optional(),
  });
}
const shapes = new Map(codecs.map((codec) => [codec, shapeOf(codec)]));
const orderConfig = z.object({ config: z.object({ webhook_url: z.string().min(1).max(2_048) }) });
const versionShape = z.object({ ucp: z.object({ version }) });

/** Reads the text of a profile. Its version is looked at first: a profile of another version has another shape. */
export function parseProfile(text: string): CachedProfile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new ProfileMalformed('it is not JSON');
  }
  const said = versionShape.safeParse(content);
  if (!said.success) throw new ProfileMalformed(firstIssue(said.error));
  const spoken = said.data.ucp.version;
  const codec = codecOf(spoken);
  const shape = codec && shapes.get(codec);
  if (shape === undefined) throw new VersionUnsupported(spoken);
  const read = shape.safeParse(content);
  if (!read.success) throw new ProfileMalformed(firstIssue(read.error));
  const { ucp, signing_keys, keys } = read.data;
  // Nothing is kept of what is not spoken here: a profile may be as large as it likes, and there are many.
  const speaks = (name: string) => ucp.capabilities?.[name]?.some((entry) => entry.version === spoken) === true;
  const capabilities = capabilityNames.map((name) => [name, speaks(name) ? [spoken] : []] as const);
  const hook = orderConfig.safeParse(ucp.capabilities?.[orderCapability]?.find((entry) => entry.version === spoken));
  return {
    version: spoken,
    capabilities: new Map(capabilities),
    keys: keys ?? signing_keys ?? [],
    ...(hook.success && { orderWebhook: hook.data.config.webhook_url }),
  };
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined ? 'it has another shape' : `${issue.path.join('.') || 'it'}: ${issue.message}`.slice(0, longestReason);
}
