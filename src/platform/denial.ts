// What was denied leaves a trace: credentials that failed and rights that were missing (CONTRACT.md 18). Noted in the
// process and written beside the requests, so that nobody waits for it; the credential itself is in neither log.
import { type AuditSubject, auditLine, writeLines } from './audit.js';
import { addSeconds } from './clock.js';
import { anonymous, type CredentialOwner, type CredentialResolver, MalformedCredential } from './credential.js';
import { sha256 } from './crypto.js';
import type { Act, Ctx, Platform } from './ctx.js';
import { ApiError } from './errors.js';
import { networkOf } from './network.js';

/** Gap G-421: A refusal is in the audit log once a minute for each source, kind and workspace; `changes.left_out` counts the others. */
const everySeconds = 60;
/** Sources that a process tells of in that time. */
const mostSources = 10_000;

type Owner = Partial<CredentialOwner> & Pick<CredentialOwner, 'workspaceId'>;

/** Refused credentials that wait for the look-up that says whose they are; beyond them a credential counts as nobody's. */
const mostLookUps = 100;

interface Denial {
  subject: Omit<AuditSubject, 'workspace' | 'act'>;
  action: 'credential.refused' | 'access.refused' | 'sign_in.failed';
  facts: Record<string, unknown>;
  /** Whose log it belongs to; null: nobody's that is known. */
  owner: Owner | null;
}

/** A refused credential whose owner is not looked up yet, and how often it was shown. */
interface Refused {
  network: string;
  at: Date;
  denial: Denial;
  lookUp: () => Promise<Owner | null>;
  times: number;
}

/** When a source was last told of, and what was left out since. */
interface Source {
  until: Date;
  leftOut: number;
}

/** The denials of a process that are still to be written. Sources are in the order in which their time ends. */
class Denials {
  readonly #sources = new Map<string, Source>();
  /** By network and hash of the credential. */
  #refused = new Map<string, Refused>();
  #waiting: Denial[] = [];
  #beyond = 0;

  /** Notes what happened `times` times since `at`. */
  note(source: string, at: Date, denial: Denial, times = 1): void {
    const known = this.#sources.get(source);
    if (known !== undefined && known.until > at) {
      known.leftOut += times;
      return;
    }
    this.#sources.delete(source);
    if (!this.#makeRoom(at)) {
      this.#beyond += 1;
      return;
    }
    this.#sources.set(source, { until: addSeconds(at, everySeconds), leftOut: times - 1 });
    const leftOut = known?.leftOut ?? 0;
    if (leftOut > 0) denial.facts['left_out'] = leftOut;
    this.#waiting.push(denial);
  }

  /** Counts a credential by its network, its kind and whose it is: what one workspace is told of hides nothing from another. */
  noteOwned(network: string, at: Date, denial: Denial, times?: number): void {
    this.note(`${network} ${denial.facts['credential']} ${denial.owner?.workspaceId ?? ''}`, at, denial, times);
  }

  /** Keeps a refused credential until it is known whose it is. */
  keep(hash: string, { network, at, denial, lookUp }: Omit<Refused, 'times'>): void {
    const key = `${network} ${hash}`;
    const known = this.#refused.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#refused.size < mostLookUps) this.#refused.set(key, { network, at, denial, lookUp, times: 1 });
    else this.noteOwned(network, at, denial);
  }

  /** Looks up whose the credentials are that were kept. */
  async findOwners(): Promise<void> {
    const kept = [...this.#refused.values()];
    this.#refused = new Map();
    for (const { network, at, denial, lookUp, times } of kept) {
      const owner = await lookUp().catch(() => null);
      this.noteOwned(network, at, { ...denial, owner }, times);
    }
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

/** Notes that a credential of a known owner, or of nobody, was refused: once a minute for each network, kind of credential and workspace. */
export function noteCredential(
  platform: Platform,
  shown: Shown,
  error: unknown,
  { kind, owner }: { kind: string; owner: Owner | null },
): void {
  if (!isDenial(error)) return;
  const at = platform.clock.now();
  denialsOf(platform).noteOwned(networkOf(shown.ip), at, { ...refusalOf(at, shown, error, kind), owner });
}

/** The same for a credential that `resolver` did not take: undefined for one of no known kind. Whose it is is looked up when it is written. */
export function noteRefusedCredential(
  platform: Platform,
  shown: Shown,
  error: unknown,
  { resolver, credential }: { resolver: CredentialResolver | undefined; credential: string },
): void {
  if (!isDenial(error)) return;
  const kind = resolver?.prefix.replace(/_$/, '') ?? 'unknown';
  const lookUp = async () => (await resolver?.ownerOf?.(platform, credential)) ?? null;
  if (resolver?.ownerOf === undefined || error instanceof MalformedCredential) {
    noteCredential(platform, shown, error, { kind, owner: null });
    return;
  }
  const at = platform.clock.now();
  const denial = { ...refusalOf(at, shown, error, kind), owner: null };
  denialsOf(platform).keep(sha256(credential).toString('base64'), { network: networkOf(shown.ip), at, denial, lookUp });
}

function refusalOf(at: Date, { requestId, ip }: Shown, { code }: ApiError, kind: string): Omit<Denial, 'owner'> {
  const { actor } = anonymous('live');
  const subject = { actor, requestId, ip, platform: { clock: { now: () => at } } };
  return { subject, action: 'credential.refused', facts: { code, credential: kind } };
}

/** Refusals of what the credential may do, whatever is asked of it. */
const ofRights = new Set(['forbidden', 'api_key_required', 'session_required', 'person_required', 'insufficient_scope']);

/** Notes that a known caller lacked a right, once a minute for each credential, code and operation. */
export function noteAccess(ctx: Ctx, { code }: ApiError, operation: string): void {
  const { actor, platform, requestId, ip, workspace } = ctx;
  if (!ofRights.has(code) || actor.type === 'anonymous') return;
  const at = platform.clock.now();
  denialsOf(platform).note(`${actor.credential.kind} ${actor.credential.id} ${code} ${operation}`, at, {
    subject: { actor, requestId, ip, platform: { clock: { now: () => at } } },
    action: 'access.refused',
    facts: { code, operation },
    owner: { workspaceId: workspace.id },
  });
}

/** Notes that signing in failed: once a minute for each `source`, which is made of the e-mail and never written. */
export function noteFailedSignIn(platform: Platform, { requestId, ip }: Shown, source: string, owner: Owner | null): void {
  const at = platform.clock.now();
  const { actor } = anonymous('live');
  const subject = { actor, requestId, ip, platform: { clock: { now: () => at } } };
  denialsOf(platform).note(`sign_in ${source}`, at, { subject, action: 'sign_in.failed', facts: { code: 'sign_in_failed' }, owner });
}

/** Writes what was noted: into the log of the workspace that it concerns, or of the process where none is known. */
export async function writeDenials(platform: Platform): Promise<void> {
  const denials = denialsOf(platform);
  await denials.findOwners();
  const { waiting, beyond } = denials.take();
  const { log, database } = platform;
  const lines = [];
  for (const { subject, action, facts, owner } of waiting) {
    if (owner === null) {
      log.warn({ requestId: subject.requestId, ip: subject.ip, ...facts }, action);
      continue;
    }
    const { workspaceId, kind, id } = owner;
    const act: Act = { action, changes: () => facts, ...(kind && { resourceType: kind }), ...(id && { resourceId: id }) };
    lines.push(auditLine({ ...subject, workspace: { id: workspaceId }, act }, null));
  }
  if (beyond > 0) log.warn({ count: beyond }, 'refusals of more sources than are told of');
  if (lines.length === 0) return;
  try {
    await writeLines(database, lines);
  } catch (error) {
    log.warn({ err: error, count: lines.length }, 'refusals were not written to the audit log');
  }
}
