// A balancer between processes of two releases: each request goes to another one of them, and each answer is held to the document of its
// release. What a process refuses by its closed socket goes to the next one.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Release } from './old-release.js';

export interface Upstream {
  /** Of its sandbox. */
  url: string;
  release: Release;
}

/** An answer that is not what it should be. */
export interface Fault {
  version: string;
  what: string;
  fault: string;
}

/** The answers of a release, held to its openapi.json. */
class Document {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction | undefined>();
  readonly #templates: { template: string; pattern: RegExp }[];
  readonly #release: Release;

  constructor(release: Release) {
    this.#release = release;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(release.openapi, 'openapi.json');
    this.#templates = Object.keys(release.openapi.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '([^/]+)')}$`) }));
  }

  /** What is wrong with an answer; null for one that is right, or is not of an operation. */
  faultOf(method: string, url: string, status: number, text: string): string | null {
    const [path = ''] = url.split('?');
    const { template } = this.#templates.find(({ pattern }) => pattern.test(path)) ?? {};
    const operation = template && this.#release.openapi.paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation === undefined) return null;
    if (operation.responses[status] === undefined) return `${status} is not declared`;
    const validator = this.#validatorOf(template, method.toLowerCase(), status);
    if (validator === undefined || validator(JSON.parse(text))) return null;
    return this.#ajv.errorsText(validator.errors).slice(0, 400);
  }

  #validatorOf(template: string, method: string, status: number): ValidateFunction | undefined {
    const name = `${method} ${template} ${status}`;
    if (this.#validators.has(name)) return this.#validators.get(name);
    const escaped = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
    const { openapi } = this.#release;
    const given = openapi.paths[template][method].responses[status];
    const isShared = given.$ref !== undefined;
    const response = isShared ? openapi.components.responses[given.$ref.split('/').at(-1)] : given;
    const at = isShared ? given.$ref : `#/paths/${escaped(template)}/${method}/responses/${status}`;
    const hasSchema = response.content?.['application/json']?.schema !== undefined;
    const $ref = `openapi.json${at}/content/${escaped('application/json')}/schema`;
    const validator = hasSchema ? this.#ajv.compile({ $ref }) : undefined;
    this.#validators.set(name, validator);
    return validator;
  }
}

export class ReleaseBalancer {
  readonly url: string;
  readonly #server: Server;
  readonly #documents = new Map<Release, Document>();
  #upstreams: readonly Upstream[] = [];
  #turn = 0;
  readonly faults: Fault[] = [];
  /** Answers by release and status. */
  readonly counts = new Map<string, number>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (asked, answer) => void this.#serve(asked, answer));
  }

  static async start(): Promise<ReleaseBalancer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ReleaseBalancer(server);
  }

  /** Where requests go from now on. */
  use(upstreams: readonly Upstream[]): void {
    this.#upstreams = upstreams;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    for (let tries = 0; tries < 2 * this.#upstreams.length; tries += 1) {
      this.#turn += 1;
      const upstream = this.#upstreams[this.#turn % this.#upstreams.length];
      if (upstream === undefined) break;
      const outcome = await this.#pass(upstream, asked, Buffer.concat(chunks), answer);
      if (outcome === 'answered') return;
    }
    answer.destroy();
  }

  /** `refused`: nothing was sent, or it may be sent again. */
  #pass({ url, release }: Upstream, asked: IncomingMessage, body: Buffer, answer: ServerResponse): Promise<'answered' | 'refused'> {
    const { method = 'GET', url: path = '/', headers } = asked;
    return new Promise((resolve) => {
      const { host: _, connection: __, ...rest } = headers;
      const sent = request(url + path, { method, headers: rest, agent: false });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (answer.headersSent || answer.destroyed) return resolve('answered');
        if (error.code !== 'ECONNREFUSED') this.#note(release, `${method} ${path}`, 0, `the connection was lost: ${error.message}`);
        resolve('refused');
      });
      answer.once('close', () => sent.destroy());
      sent.on('response', (response) => {
        const { statusCode: status = 0 } = response;
        answer.writeHead(status, response.headers);
        const isJson = /^application\/json/.test(response.headers['content-type'] ?? '');
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => {
          if (isJson) parts.push(part);
          answer.write(part);
        });
        response.on('error', () => answer.destroy());
        response.on('close', () => {
          answer.end();
          resolve('answered');
          if (!response.complete && isJson) this.#note(release, `${method} ${path}`, status, 'the answer was cut');
          else this.#check(release, method, path, status, isJson ? Buffer.concat(parts).toString() : '');
        });
      });
      sent.end(body);
    });
  }

  #check(release: Release, method: string, path: string, status: number, text: string): void {
    const name = `${release.version} ${status}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (status >= 500 && !/"safe":true/.test(text)) this.#note(release, `${method} ${path}`, status, text.slice(0, 400));
    if (text === '') return;
    const document = this.#documents.get(release) ?? new Document(release);
    this.#documents.set(release, document);
    const fault = document.faultOf(method, path, status, text);
    if (fault !== null) this.#note(release, `${method} ${path}`, status, fault);
  }

  #note({ version }: Release, what: string, status: number, fault: string): void {
    this.faults.push({ version, what: `${what} ${status}`, fault });
  }
}
