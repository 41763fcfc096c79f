// Tells a story by its requests: each is sent and printed with its answer, secrets shortened.
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { openPage, type Reply, sendForm, sendJson } from '../platform/outbound/client.js';
import { startLine } from '../platform/program.js';

// biome-ignore lint/suspicious/noExplicitAny: the answers are shown to a person as they come
export type Json = Record<string, any>;

/** What is done in the background is looked at so often, for so long. */
const lookAgainMs = 50;
const patienceMs = 15_000;

export class Teller {
  readonly url: string;
  readonly #say: (text: string) => void;
  #step = 0;

  constructor(url: string, say: (text: string) => void) {
    this.url = url;
    this.#say = say;
  }

  async ask(
    title: string,
    method: string,
    path: string,
    authorization: string | null,
    body?: unknown,
    headers: Record<string, string> = {},
    expected?: number,
    seen: (reply: Reply) => void = () => {},
  ): Promise<Json> {
    this.#begin(title);
    const sent = { ...(authorization === null ? {} : { Authorization: authorization }), ...headers };
    this.#say(`   > ${method} ${path}${authorization === null ? '  (public)' : `  Authorization: ${authorization.slice(0, 20)}...`}`);
    for (const [name, value] of Object.entries(headers)) this.#say(headerLine(name, value));
    if (body !== undefined) this.#say(indent('   > ', body));
    const reply = await this.#send(method, path, sent, body);
    this.#show(reply);
    seen(reply);
    const good = expected === undefined ? reply.status < 300 : reply.status === expected;
    if (!good) throw new Error(`step ${this.#step} was answered ${reply.status}`);
    return reply.body as Json;
  }

  /** Opens a page, of which its status and where it leads are shown. */
  async page(title: string, path: string, headers: Record<string, string>, seen: (reply: Reply) => void): Promise<void> {
    this.#begin(title);
    this.#say(`   > GET ${path.length > longestHeader ? `${path.slice(0, longestHeader)}...` : path}`);
    const reply = await openPage(this.url + path, headers);
    const leadsTo = reply.headers.get('Location');
    this.#say(`   < ${reply.status}${leadsTo === null ? '' : `  Location: ${leadsTo.replace(/\?.*/, '?...')}`}`);
    if (reply.status >= 400) throw new Error(`step ${this.#step} was answered ${reply.status}`);
    seen(reply);
  }

  /** Sends a form. */
  async form(title: string, path: string, members: Record<string, string>): Promise<Json> {
    this.#begin(title);
    this.#say(`   > POST ${path}`);
    const reply = await sendForm(this.url + path, members);
    this.#show(reply);
    if (reply.status >= 300) throw new Error(`step ${this.#step} was answered ${reply.status}`);
    return reply.body as Json;
  }

  /** Sends one request in the name of several at the same moment; every answer. */
  async race(title: string, method: string, path: string, authorizations: readonly string[]): Promise<Reply[]> {
    this.#begin(title);
    this.#say(`   > ${method} ${path}  (${authorizations.length} times)`);
    const replies = await Promise.all(
      authorizations.map((authorization) => this.#send(method, path, { Authorization: authorization }, undefined)),
    );
    for (const reply of replies) this.#show(reply);
    return replies;
  }

  /** A fetch for a client that is not ours: each request that it sends is a step, and printed under the next of `titles`. */
  fetchFor(titles: readonly string[]): typeof fetch {
    const left = [...titles];
    return async (input, init) => {
      const request = new Request(input, init);
      this.#begin(left.shift() ?? 'And again');
      const path = request.url.slice(this.url.length);
      const headers = Object.fromEntries(request.headers);
      this.#say(`   > ${request.method} ${path}`);
      if (request.headers.has('payment-signature')) this.#say(headerLine('PAYMENT-SIGNATURE', headers['payment-signature'] ?? ''));
      const reply = await this.#send(request.method, path, headers, undefined);
      this.#show(reply);
      return Response.json(reply.body, reply);
    };
  }

  /** Runs Node in a folder, with no other environment than `env`. `shown` is printed for the command. */
  async command(
    title: string,
    shown: string,
    { args, folder, env = {} }: { args: readonly string[]; folder: string; env?: Readonly<Record<string, string>> },
  ): Promise<{ code: number; printed: string }> {
    this.#begin(title);
    this.#say(`   $ ${shown}`);
    const { code, stdout, stderr } = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
      execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
      ),
    );
    const printed = `${stdout}${stderr}`.trimEnd();
    for (const line of printed.split('\n')) this.#say(`   ${line}`);
    this.#say(`   exit ${code}`);
    return { code, printed };
  }

  /** Reads something until it is as it should be, and prints the last answer. */
  async until(title: string, path: string, authorization: string, isDone: (body: Json) => boolean): Promise<Json> {
    this.#begin(title);
    this.#say(`   > GET ${path}`);
    for (let left = patienceMs; left > 0; left -= lookAgainMs) {
      const reply = await this.#send('GET', path, { Authorization: authorization }, undefined);
      if (reply.status === 200 && isDone(reply.body as Json)) {
        this.#show(reply);
        return reply.body as Json;
      }
      await pause(lookAgainMs);
    }
    throw new Error(`step ${this.#step} did not come to its end within ${patienceMs / 1000} s`);
  }

  #begin(title: string): void {
    this.#step += 1;
    this.#say(`\n${this.#step}. ${title}`);
  }

  #show(reply: Reply): void {
    this.#say(`   < ${reply.status}${reply.headers.get('Idempotent-Replayed') === null ? '' : '  Idempotent-Replayed: true'}`);
    this.#say(indent('   < ', reply.body));
  }

  async #send(method: string, path: string, headers: Record<string, string>, body: unknown): Promise<Reply> {
    const reply = await sendJson(this.url + path, { method, headers, body }).catch((cause: unknown) => {
      throw new Error(`Nobody answers at ${this.url}. Start the platform first: ${startLine}`, { cause });
    });
    if (reply.status !== 429) return reply;
    const seconds = Number(reply.headers.get('Retry-After') ?? 60);
    this.#say(`   < 429: five sign-ins a minute are allowed; going on in ${seconds} s`);
    await pause(seconds * 1000);
    return this.#send(method, path, headers, body);
  }
}

const secrets =
  /("(?:token|privateKey|sessionToken|password|csrf_token|access_token|refresh_token|signature|mandate_jwt|proof|signed_voucher)": ")([^"]{12})[^"]*/g;
/** A header that is longer is shown by its beginning. */
const longestHeader = 80;
/** Lines of a body that are shown: a basket says more than one wants to read. */
const mostLines = 48;

function headerLine(name: string, value: string): string {
  return `   > ${name}: ${value.length > longestHeader ? `${value.slice(0, 24)}...` : value}`;
}

function indent(mark: string, body: unknown): string {
  const lines = JSON.stringify(body, null, 2).replace(secrets, '$1$2...').split('\n');
  const shown = lines.length <= mostLines ? lines : [...lines.slice(0, mostLines - 1), `... ${lines.length - mostLines + 1} more lines`];
  return shown.map((line) => mark + line).join('\n');
}
