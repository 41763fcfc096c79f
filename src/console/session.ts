// Who is signed in. A person's session is a cookie that no script reads, with a token in memory beside it. The JWT that an API key was
// exchanged for lives as long as the tab and is renewed before its hour is over; the key is not kept (see G-448).
import { now } from './clock.js';

export type Environment = 'test' | 'live';

export interface Session {
  /** The JWT that an API key was exchanged for; undefined for a person. */
  token?: string;
  /** What the requests of a person carry beside the cookie. It is kept in memory alone. */
  csrfToken?: string;
  /** Which person of which tenant; undefined for an API key. */
  who?: string;
  environment: Environment;
  /** When it was signed in. Both in milliseconds since 1970. */
  startedAt: number;
  expiresAt: number;
}

// Gap G-374: The JWT is in the tab's `sessionStorage`; the API key is not kept.
const place = 'console.session';

/** A tab without storage, such as in a strict private mode, stays signed in until it is loaded again. */
function stored(): Session | undefined {
  try {
    const session = JSON.parse(sessionStorage.getItem(place) ?? 'null') as Session | null;
    return session !== null && session.expiresAt > now() ? session : undefined;
  } catch {
    return undefined;
  }
}

function store(session: Session | undefined): void {
  try {
    if (session?.token === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(session));
  } catch {
    // It is kept in memory then.
  }
}

const wayPlace = 'console.way';

/** How somebody signed in here last. */
export type Way = 'person' | 'key';

/** The way that was taken last in this browser; undefined where nobody knows. */
export function lastWay(): Way | undefined {
  try {
    const way = localStorage.getItem(wayPlace);
    return way === 'person' || way === 'key' ? way : undefined;
  } catch {
    return 'person';
  }
}

/** Remembers the way: a browser in which a person signed in may have a session that this tab does not know. */
export function rememberWay(way: Way): void {
  try {
    localStorage.setItem(wayPlace, way);
  } catch {
    // The way of people is tried then.
  }
}

/** The session of this tab. */
class SessionStore {
  #session = stored();
  /** Why the last session ended, for the page that asks to sign in. */
  message: string | undefined;
  readonly #listeners = new Set<() => void>();

  get current(): Session | undefined {
    return this.#session;
  }

  begin(session: Session): void {
    this.message = undefined;
    this.#set(session);
  }

  /** Goes on with another token, unless the session `of` has ended or changed since. */
  renew(of: Session, changes: Pick<Session, 'token' | 'csrfToken' | 'expiresAt'>): void {
    if (this.#session === of) this.#set({ ...of, ...changes });
  }

  /** Ends the session `of`, unless another has begun since. */
  end(message: string | undefined, of = this.#session): void {
    if (this.#session === undefined || this.#session !== of) return;
    this.message = message;
    this.#set(undefined);
  }

  /** Calls `listener` at each change, until the function that it returns is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #set(session: Session | undefined): void {
    this.#session = session;
    store(session);
    for (const listener of this.#listeners) listener();
  }
}

export const session = new SessionStore();
