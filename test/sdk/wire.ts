// The network between a client of the SDK and the platform, with what goes wrong on it: answers that are lost, connections that fail, and
// what a proxy says.
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ClientOptions, type Credential, createClient, type Client as SdkClient } from '@agent-payments/sdk';
import { checkAnswer } from '../openapi.js';

/** What becomes of a request: its answer is lost on the way back, it never arrives, or something before the platform answers it. */
type Fate = 'passed' | 'lost' | 'refused' | (() => Response);

export interface Attempt {
  method: string;
  path: string;
  key: string | null;
  token: string | null;
  /** Undefined where nothing was heard. */
  status: number | undefined;
}

export class Wire {
  readonly #checks: boolean;
  readonly attempts: Attempt[] = [];
  /** Of the next requests, in their order; those after them are passed on. */
  fates: Fate[] = [];
  /** Asked where there are none. */
  decide: (path: string) => Fate | undefined = () => undefined;

  /** Every answer is checked against openapi.json unless `checks` is false. */
  constructor({ checks = true } = {}) {
    this.#checks = checks;
  }

  /** Sends a request. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const attempt: Attempt = {
      method,
      path: pathname + search,
      key: headers.get('Idempotency-Key'),
      token: headers.get('Authorization'),
      status: undefined,
    };
    this.attempts.push(attempt);
    const fate = this.fates.shift() ?? this.decide(attempt.path);
    if (typeof fate === 'function') return fate();
    if (fate === 'refused') throw new TypeError('fetch failed: nobody listens');
    const response = await fetch(request);
    if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
      const text = await response.clone().text();
      if (fate === 'lost') throw new TypeError('fetch failed: the connection broke');
      if (this.#checks) checkAnswer(method, attempt.path, { status: response.status, body: text === '' ? undefined : JSON.parse(text) });
    }
    attempt.status = response.status;
    return response;
  };

  client(baseUrl: string, credential?: Credential, options: Partial<ClientOptions> = {}): SdkClient {
    return createClient({ baseUrl, fetch: this.fetch, ...(credential !== undefined && { credential }), ...options });
  }
}

/** Collects what nobody holds any more, as happens to any program in its own time. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  for (let n = 0; n < 5; n += 1) {
    runInNewContext('gc')();
    // What is collected is finalized in a turn of its own.
    await pause(5);
  }
}
