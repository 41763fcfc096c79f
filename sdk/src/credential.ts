// Who a client is: a credential that is sent as it is, or an agent's Ed25519 key, with which it signs in and renews its session.
import { NetworkError } from './error.js';

/** What sends: the fetch of the platform it runs on, unless a caller brings one. */
export type Fetch = (request: Request) => Promise<Response>;

/** An agent that signs in with its own key. */
export interface AgentKey {
  /** Such as agt_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d. */
  agentId: string;
  /** `authKey.privateKey` of the agent in base64, or what signs with a key that is kept elsewhere: 64 bytes for a text. */
  privateKey: string | ((text: Uint8Array) => Promise<Uint8Array>);
}

/** An API key, an agent token, a session or any other bearer; or an agent's own key. */
export type Credential = string | AgentKey;

/** The agent was not let in: what the platform said to that is its answer to whatever was to be sent. */
export class SignInRefused extends Error {
  readonly #answer: Response;

  constructor(answer: Response) {
    super(`The sign-in was answered ${answer.status}.`);
    this.#answer = answer;
  }

  /** One for each request that waited for the session. */
  get answer(): Response {
    return this.#answer.clone();
  }
}

/** Gives the credential of each request. */
export interface Bearer {
  /** The agent that it stands for, where that is known. */
  readonly agentId?: string;
  token(signal: AbortSignal): Promise<string | undefined>;
  /** Told of a 401: true when the next token is another one. */
  isRenewed(token: string | undefined, error: Record<string, unknown>): boolean;
}

/** A credential that never changes; undefined asks for nothing but public operations. */
export function fixed(token: string | undefined): Bearer {
  return { token: () => Promise.resolve(token), isRenewed: () => false };
}

/** A session is renewed so long before its end that a request under way does not outlive it. */
const marginMs = 60_000;
/** A 401 after which another sign-in may help. */
const ended = ['session_expired', 'session_revoked', 'invalid_session_token'];

interface Session {
  token: string;
  /** In milliseconds since 1970, by this machine's clock. */
  renewAt: number;
}

/** A sign-in, which those who wait for it share. */
interface Begun {
  session: Promise<Session>;
  /** Once it is there. */
  token?: string;
  waiting: number;
  stop: AbortController;
}

/**
 * The sessions of an agent, one after the other. Requests that need one at the same moment share it. `send` tries once: a challenge does not
 * live as long as a limit may ask to wait, so that the two steps are taken again together.
 */
export class SignIn implements Bearer {
  readonly agentId: string;
  readonly #key: AgentKey;
  readonly #url: string;
  readonly #send: Fetch;
  #begun: Begun | undefined;

  constructor(key: AgentKey, baseUrl: string, send: Fetch) {
    this.agentId = key.agentId;
    this.#key = key;
    this.#url = `${baseUrl}/v1/agents/${encodeURIComponent(key.agentId)}`;
    this.#send = send;
  }

  async token(signal: AbortSignal): Promise<string> {
    const known = this.#begun ?? this.#begin();
    const { token, renewAt } = await this.#wait(known, signal);
    if (renewAt > Date.now()) return token;
    // Another request may have begun the next one meanwhile.
    const next = this.#begun === known ? this.#begin() : (this.#begun ?? this.#begin());
    return (await this.#wait(next, signal)).token;
  }

  isRenewed(token: string | undefined, { code }: Record<string, unknown>): boolean {
    if (typeof code !== 'string' || !ended.includes(code)) return false;
    // Others with this token may be told too: the session that the first of them has begun is theirs.
    if (this.#begun?.token === token) this.#begun = undefined;
    return true;
  }

  #begin(): Begun {
    const stop = new AbortController();
    const begun: Begun = { session: this.#signIn(stop.signal), waiting: 0, stop };
    this.#begun = begun;
    begun.session.then(
      ({ token }) => {
        begun.token = token;
      },
      () => this.#forget(begun),
    );
    return begun;
  }

  #forget(begun: Begun): void {
    if (this.#begun === begun) this.#begun = undefined;
  }

  /** The session that was begun. A sign-in that nobody waits for any more is not gone on with. */
  async #wait(begun: Begun, signal: AbortSignal): Promise<Session> {
    begun.waiting += 1;
    try {
      return await untilAborted(begun.session, signal);
    } finally {
      begun.waiting -= 1;
      if (begun.waiting === 0 && begun.token === undefined) {
        this.#forget(begun);
        begun.stop.abort();
      }
    }
  }

  async #signIn(signal: AbortSignal): Promise<Session> {
    const { challenge } = (await this.#post('challenge', signal)) as { challenge: string };
    const signature = toBase64(await this.#sign(new TextEncoder().encode(challenge)));
    const began = Date.now();
    const { sessionToken, expiresIn } = (await this.#post('authenticate', signal, { challenge, signature })) as {
      sessionToken: string;
      expiresIn: number;
    };
    const lifeMs = expiresIn * 1000;
    return { token: sessionToken, renewAt: began + Math.max(lifeMs - marginMs, lifeMs / 2) };
  }

  async #sign(text: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const { privateKey } = this.#key;
    return typeof privateKey === 'string'
      ? new Uint8Array(await crypto.subtle.sign('Ed25519', await keyOf(privateKey), text))
      : privateKey(text);
  }

  async #post(step: string, signal: AbortSignal, body?: object): Promise<unknown> {
    const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const request = new Request(`${this.#url}/${step}`, { method: 'POST', signal, ...json });
    const response = await this.#send(request);
    if (!response.ok) throw new SignInRefused(response);
    return response.json().catch((cause: unknown) => {
      throw new NetworkError(request, true, cause);
    });
  }
}

/** What a promise gives, unless the signal is aborted before. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/** What stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const pkcs8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/** The key in the base64 of a seed of 32 bytes, or of 64 bytes that begin with it. */
export function keyOf(base64: string, extractable = false): Promise<CryptoKey> {
  const bytes = bytesIn(base64);
  if (bytes.length !== 32 && bytes.length !== 64) throw new TypeError('privateKey is not the base64 of an Ed25519 key of 32 or 64 bytes.');
  return crypto.subtle.importKey('pkcs8', new Uint8Array([...pkcs8, ...bytes.subarray(0, 32)]), 'Ed25519', extractable, ['sign']);
}

/** None for what is no base64. */
export function bytesIn(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
