// JSON-RPC 2.0 over HTTP to one URL of the operator's. Every answer is held against what was asked: an answer that is not exactly one is a
// failure with a name. A URL may hold a token, so nothing but its host is ever said.
import { addSeconds, type Clock } from '../../platform/clock.js';
import type { Outbound } from '../../platform/outbound/client.js';
import type { SendResult } from '../../platform/outbound/exchange.js';
import { portOf } from '../../platform/outbound/guard.js';

/** One call. `params` as JSON has them. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** What a node says to a call: a result, or its refusal, whose `code` and `message` are the node's. */
export type RpcAnswer = { result: unknown } | { refused: { code: number; message: string; data: unknown } };

/**
 * Why there is no answer. `aside`: the URL failed a moment ago and is not asked. `unreachable`: no connection, or it broke.
 * `rate_limited`: 429, or -32005. `http`: another status than 200. `not_json`, `too_large`, `malformed`: what came is no answer.
 * `mismatched`: an answer to something else (another id, one twice, one missing, another hash).
 */
export type RpcFailureKind =
  | 'aside'
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'http'
  | 'not_json'
  | 'too_large'
  | 'malformed'
  | 'mismatched';

/** A URL that gave no answer. The message has the host, and no other part of the URL. */
export class RpcFailure extends Error {
  readonly kind: RpcFailureKind;
  readonly host: string;

  constructor(host: string, kind: RpcFailureKind, said: string) {
    super(`${host}: ${said}`);
    this.kind = kind;
    this.host = host;
  }
}

/** There was no connection, or it broke before an answer. */
class BrokenConnection extends RpcFailure {}

export interface RpcOptions {
  /** Of http or https. A user and a password in it are sent as Basic authorization. */
  url: string;
  outbound: Pick<Outbound, 'exchange'>;
  clock: Clock;
  /** From the call to the head of the answer, milliseconds. */
  timeoutMs?: number | undefined;
  /** Is told of every failure but `aside`, for a counter. */
  onFailure?: ((failure: RpcFailure) => void) | undefined;
}

const longestAnswer = 8 * 1024 * 1024;
/** Of what a node says in a refusal, as much is kept. */
const longestMessage = 500;
/** A part of a path that is shorter is no secret: `v3`, `rpc`. */
const leastSecret = 8;
/** Calls in one request; nodes refuse long batches. */
const longestBatch = 20;
const longestWaitSeconds = 60;
/** These put a URL aside: it has no time for us, and asking at once makes it worse. */
const putsAside: ReadonlySet<RpcFailureKind> = new Set(['timeout', 'unreachable', 'rate_limited']);
const rateLimitCodes: readonly number[] = [-32005, 429];
/** The same code means that one answer would be too long: `query returned more than 10000 results`. Then the URL has time for other questions. */
const tooMuch = /more than \d+ (results|logs|blocks)|response size|block range|too (large|big)/i;

/** One URL. */
export class RpcUrl {
  /** Host and port, by which it is named in words. */
  readonly host: string;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #options: RpcOptions;
  readonly #secrets: readonly string[];
  #nextId = 1;
  #waitSeconds = 0;
  #asideUntil = 0;

  constructor(options: RpcOptions) {
    const url = urlOf(options.url);
    const credential = Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64');
    this.#secrets = [credential, ...secretsOf(url)];
    this.#headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...(url.username === '' && url.password === '' ? {} : { Authorization: `Basic ${credential}` }),
    };
    url.username = '';
    url.password = '';
    url.hash = '';
    this.host = `${url.hostname}:${portOf(url)}`;
    this.#url = url.href;
    this.#options = options;
  }

  /** True while it is not asked, after a failure. */
  get isAside(): boolean {
    return this.#options.clock.now().getTime() < this.#asideUntil;
  }

  /** Asks one call. Throws RpcFailure. */
  async ask(method: string, params: readonly unknown[]): Promise<RpcAnswer> {
    const [answer] = await this.askAll([{ method, params }]);
    return answer as RpcAnswer;
  }

  /** Asks in as few requests as may be; an answer for each call, in their order. Throws RpcFailure when one is missing. */
  async askAll(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    if (this.isAside) throw new RpcFailure(this.host, 'aside', 'it failed a moment ago and is left alone for a while');
    const answers: RpcAnswer[] = [];
    try {
      for (let at = 0; at < calls.length; at += longestBatch) answers.push(...(await this.#sendSafely(calls.slice(at, at + longestBatch))));
    } catch (error) {
      if (error instanceof RpcFailure) this.#note(error);
      throw error;
    }
    this.#waitSeconds = 0;
    return answers;
  }

  /** A connection that broke is made once more: each call may be asked twice. */
  async #sendSafely(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    try {
      return await this.#send(calls);
    } catch (error) {
      if (!(error instanceof BrokenConnection)) throw error;
      return this.#send(calls);
    }
  }

  #note(failure: RpcFailure): void {
    this.#options.onFailure?.(failure);
    if (!putsAside.has(failure.kind)) return;
    // What was under way together failed together, and counts once.
    if (this.isAside) return;
    this.#waitSeconds = Math.min(longestWaitSeconds, this.#waitSeconds * 2 || 1);
    this.#asideUntil = addSeconds(this.#options.clock.now(), this.#waitSeconds).getTime();
  }

  async #send(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const requests = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: this.#nextId++, method, params }));
    const content = requests.length === 1 ? requests[0] : requests;
    const { outbound, timeoutMs = 4_000 } = this.#options;
    const result = await outbound.exchange(this.#url, {
      workspaceId: '',
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(content),
      longest: longestAnswer,
      timeoutMs,
      allowHosts: [this.host],
    });
    const said = this.#contentOf(result);
    const answers = Array.isArray(said) ? said : [said];
    if (!Array.isArray(said) && requests.length > 1) this.#refuseWhole(said);
    if (Array.isArray(said) && requests.length === 1) throw this.#fail('malformed', 'an array came for a single call');
    const byId = new Map<unknown, RpcAnswer>();
    for (const each of answers) this.#keep(byId, each);
    const found = requests.map(({ id }) => byId.get(id));
    if (byId.size > requests.length || found.some((answer) => answer === undefined))
      throw this.#fail('mismatched', `${requests.length} calls were asked, and their ids are not those of the answers`);
    return found as RpcAnswer[];
  }

  #contentOf({ status, body, isCut, error }: SendResult): unknown {
    if (status === null) {
      const isLate = error?.startsWith('no answer within') === true || error?.includes('TIMEOUT') === true;
      throw isLate ? this.#fail('timeout', 'no answer in time') : new BrokenConnection(this.host, 'unreachable', 'it cannot be reached');
    }
    if (status === 429) throw this.#fail('rate_limited', 'it asks for fewer requests (429)');
    if (isCut && Buffer.byteLength(body) < longestAnswer) throw this.#fail('timeout', 'its answer broke off');
    if (isCut) throw this.#fail('too_large', `its answer is longer than ${longestAnswer} bytes`);
    const content = jsonOf(body);
    // Nodes answer a refusal with 400 and more, and say it in the body.
    if (status !== 200 && !isAnswer(content)) throw this.#fail(status >= 500 ? 'unreachable' : 'http', `it answered ${status}`);
    if (content === undefined) throw this.#fail('not_json', 'its answer is no JSON');
    return content;
  }

  /** A batch that was refused as one is answered with one object. */
  #refuseWhole(said: unknown): never {
    const answer = isAnswer(said) ? this.#answerOf(said) : null;
    if (answer !== null && 'refused' in answer) this.#refuseLimited(answer);
    throw this.#fail('malformed', 'a batch was not answered with an array');
  }

  #refuseLimited({ refused }: Extract<RpcAnswer, { refused: unknown }>): void {
    if (rateLimitCodes.includes(refused.code) && !tooMuch.test(refused.message))
      throw this.#fail('rate_limited', `it asks for fewer requests (${refused.code})`);
  }

  #keep(byId: Map<unknown, RpcAnswer>, said: unknown): void {
    const answer = isAnswer(said) ? this.#answerOf(said) : null;
    if (answer === null || !isAnswer(said)) throw this.#fail('malformed', 'what came is no answer of JSON-RPC 2.0');
    if ('refused' in answer) this.#refuseLimited(answer);
    if (byId.has(said.id)) throw this.#fail('mismatched', 'it answered one call twice');
    byId.set(said.id, answer);
  }

  /** An answer as it came, without what of the URL a refusal repeats: some nodes say whose key is over its quota. */
  #answerOf(said: Said): RpcAnswer | null {
    const answer = answerOf(said);
    if (answer === null || !('refused' in answer)) return answer;
    const message = this.#secrets.reduce((text, secret) => text.replaceAll(secret, '…'), answer.refused.message);
    return { refused: { ...answer.refused, message: message.slice(0, longestMessage) } };
  }

  #fail(kind: RpcFailureKind, said: string): RpcFailure {
    return new RpcFailure(this.host, kind, said);
  }
}

/** Parts of a URL that may be secret, as they stand in it and as they are meant; the longest first. */
function secretsOf({ username, password, pathname, searchParams }: URL): string[] {
  const parts = [username, password, ...pathname.split('/').filter(({ length }) => length >= leastSecret), ...searchParams.values()];
  return [...new Set(parts.flatMap((part) => [part, decodedOf(part)]))]
    .filter(({ length }) => length >= 4)
    .sort((a, b) => b.length - a.length);
}

function decodedOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Throws for what is no URL of http. Its text is in no error, as it may be a token. */
function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new Error('a URL of a node must begin with https:// or http://');
  return url;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Said = Record<string, unknown>;

function isAnswer(value: unknown): value is Said {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0' && 'id' in value;
}

/** A result or an error, and not both. */
function answerOf(said: Said): RpcAnswer | null {
  const { result, error } = said;
  if (error === undefined || error === null) return 'result' in said ? { result } : null;
  if (result !== undefined && result !== null) return null;
  const { code, message, data } = error as Said;
  if (typeof code !== 'number' || typeof message !== 'string') return null;
  return { refused: { code, message, data } };
}
