// Who is signed in: the JWT that an API key was exchanged for. It lives as long as the tab, and an hour at most; the key is not kept
// (Gap G-374).
import { now } from './clock.js';

export type Environment = 'test' | 'live';

export interface Session {
  token: string;
  environment: Environment;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

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
    if (session === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(session));
  } catch {
    // It is kept in memory then.
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

  /** Ends the session `of` that token, unless another has begun since. */
  end(message: string | undefined, of = this.#session?.token): void {
    if (this.#session === undefined || this.#session.token !== of) return;
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
