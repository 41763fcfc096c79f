// What was denied leaves a trace: credentials that failed and rights that were missing (CONTRACT.md 18). Noted in the
// process and written beside the requests, so that nobody waits for it; the credential itself is in neither log.
import { auditLine, type Told, writeLines } from './audit.js';
import { addSeconds } from './clock.js';
import { anonymous, type CredentialOwner, type CredentialResolver } from './credential.js';
import type { Act, Ctx, Platform } from './ctx.js';
import { ApiError } from './errors.js';
import { networkOf } from './network.js';

/** Each source is told of once in so many seconds, with how often it was left out since. Gap G-421 */
const everySeconds = 60;
/** Sources that a process tells of in that time. */
const mostSources = 10_000;

interface Denial {
  told: Omit<Told, 'workspace' | 'act'>;
  action: 'credential.refused' | 'access.refused';
  facts: Record<string, unknown>;
  /** Whose log it belongs to; null: nobody's that is known. */
  owner: () => Promise<(Partial<CredentialOwner> & Pick<CredentialOwner, 'workspaceId'>) | null>;
}

/** When a source was last told of, and what was left out since. */
interface Source {
  until: Date;
  leftOut: number;
}

/** The denials of a process that are still to be written. Sources are in the order in which their time ends. */
class Denials {
  readonly #sources = new Map<string, Source>();
  #waiting: Denial[] = [];
  #beyond = 0;

  note(source: string, at: Date, denial: Denial): void {
    const known = this.#sources.get(source);
    if (known !== undefined && known.until > at) {
      known.leftOut += 1;
      return;
    }
    this.#sources.delete(source);
    if (!this.#makeRoom(at)) {
      this.#beyond += 1;
      return;
    }
    this.#sources.set(source, { until: addSeconds(at, everySeconds), leftOut: 0 });
    const leftOut = known?.leftOut ?? 0;
    if (leftOut > 0) denial.facts['left_out'] = leftOut;
    this.#waiting.push(denial);
  }

  /** What waits, and how many sources found no room; both are then forgotten. */
  take(): { waiting: Denial[]; beyond: number } {
    const taken = { waiting: this.#waiting, beyond: this.#beyond };
    this.#waiting = [];
    this.#beyond = 0;
    return taken;
  }

  #makeRoom(at: Date): boolean {
    if (this.#sources.size < mostSources) return true;
    const [[oldest, { until }] = ['', { until: at }]] = this.#sources;
    return until <= at && this.#sources.delete(oldest);
  }
}

const denials = new WeakMap<Platform, Denials>();

function denialsOf(platform: Platform): Denials {
  let made = denials.get(platform);
  if (made === undefined) {
    made = new Denials();
    denials.set(platform, made);
  }
  return made;
}

/** What names the request in which a credential was shown. */
export type Shown = Pick<Ctx, 'requestId' | 'ip'>;

/** True for a refusal of the credential itself, and not of the service. */
const isDenial = (error: unknown): error is ApiError => error instanceof ApiError && (error.status === 401 || error.status === 403);

/** Notes that a credential was refused, once a minute for each network and kind of credential. `resolver` is undefined for no known kind. */
export function noteCredential(
  platform: Platform,
  shown: Shown,
  error: unknown,
  { kind, owner }: { kind: string; owner?: Denial['owner'] },
): void {
  if (!isDenial(error)) return;
  const at = platform.clock.now();
  const { actor } = anonymous('live');
  denialsOf(platform).note(`${networkOf(shown.ip)} ${kind}`, at, {
    told: { actor, requestId: shown.requestId, ip: shown.ip, platform: { clock: { now: () => at } } },
    action: 'credential.refused',
    facts: { code: error.code, credential: kind },
    owner: owner ?? (async () => null),
  });
}

/** The same for a credential that `resolver` did not take. */
export function noteRefusedCredential(
  platform: Platform,
  shown: Shown,
  error: unknown,
  { resolver, credential }: { resolver: CredentialResolver | undefined; credential: string },
): void {
  const owner = async () => (await resolver?.ownerOf?.(platform, credential)) ?? null;
  noteCredential(platform, shown, error, { kind: resolver?.prefix.replace(/_$/, '') ?? 'unknown', owner });
}

/** Refusals of what the credential may do, whatever is asked of it. */
const ofRights = new Set(['forbidden', 'api_key_required', 'session_required', 'person_required', 'insufficient_scope']);

/** Notes that a known caller lacked a right, once a minute for each credential, code and operation. */
export function noteAccess(ctx: Ctx, { code }: ApiError, operation: string): void {
  const { actor, platform, requestId, ip, workspace } = ctx;
  if (!ofRights.has(code) || actor.type === 'anonymous') return;
  const at = platform.clock.now();
  denialsOf(platform).note(`${actor.credential.kind} ${actor.credential.id} ${code} ${operation}`, at, {
    told: { actor, requestId, ip, platform: { clock: { now: () => at } } },
    action: 'access.refused',
    facts: { code, operation },
    owner: async () => ({ workspaceId: workspace.id }),
  });
}

/** Writes what was noted: into the log of the workspace that it concerns, or of the process where none is known. */
export async function writeDenials(platform: Platform): Promise<void> {
  const { waiting, beyond } = denialsOf(platform).take();
  const { log, database } = platform;
  const lines = [];
  for (const { told, action, facts, owner } of waiting) {
    const found = await owner().catch(() => null);
    if (found === null) {
      log.warn({ requestId: told.requestId, ip: told.ip, ...facts }, action);
      continue;
    }
    const { workspaceId, kind, id } = found;
    const act: Act = { action, changes: () => facts, ...(kind && { resourceType: kind }), ...(id && { resourceId: id }) };
    lines.push(auditLine({ ...told, workspace: { id: workspaceId }, act }, null));
  }
  if (beyond > 0) log.warn({ count: beyond }, 'refusals of more sources than are told of');
  if (lines.length === 0) return;
  try {
    await writeLines(database, lines);
  } catch (error) {
    log.warn({ err: error, count: lines.length }, 'refusals were not written to the audit log');
  }
}
