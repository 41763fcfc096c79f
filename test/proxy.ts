// A TCP proxy between the platform and PostgreSQL, for the failures that a network has: it cuts a connection before or after a statement
// was passed on, or falls silent without closing anything.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Where a connection is cut: `before` the message is passed on, right `after` it was, or when the server has `answered` it and nobody has
 * read the answer.
 */
export type Cut = 'before' | 'after' | 'answered';

/** What the platform sends, and over which connection. */
export interface Sent {
  /** The bytes as text: statements are in them when they are prepared, later only their names. */
  text: string;
  /** The application_name of the connection. */
  application: string;
}

interface Link {
  application: string;
  client: Socket;
  server: Socket;
  cutOnAnswer: boolean;
  isDead: boolean;
}

export class TcpProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #isStalled: (application: string) => boolean = () => false;
  /** Asked of every message of the platform; undefined passes it on. */
  onSent: (sent: Sent) => Cut | undefined = () => undefined;
  /** The applications of the connections so far. */
  readonly accepted: string[] = [];

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((client) => this.#accept(client));
  }

  /** A proxy on a free port of 127.0.0.1 for the database at `target`. */
  static async open(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The address of the database through the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Passes nothing on any more, in either direction, over the connections of some applications. They stay open. */
  stall(isStalled: (application: string) => boolean = () => true): void {
    this.#isStalled = isStalled;
    for (const link of this.#links) this.#apply(link);
  }

  /** Lets the connections of an application that are open now die without a word; new ones are passed on. */
  freeze(application: string): void {
    for (const link of this.#links) {
      link.isDead ||= link.application === application;
      this.#apply(link);
    }
  }

  /** Passes on again what was held back on connections that are still open, and everything that follows. */
  heal(): void {
    this.onSent = () => undefined;
    this.stall(() => false);
  }

  async close(): Promise<void> {
    for (const link of this.#links) cut(link);
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const link: Link = { application: '', client, server, cutOnAnswer: false, isDead: false };
    this.#links.add(link);
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#links.delete(link);
        cut(link);
      });
    }
    client.on('data', (data) => this.#passOn(link, data));
    server.on('data', (data) => (link.cutOnAnswer ? cut(link) : client.write(data)));
    this.#apply(link);
  }

  #passOn(link: Link, data: Buffer): void {
    const text = data.toString('latin1');
    if (link.application === '') {
      link.application = /application_name\0([^\0]*)/.exec(text)?.[1] ?? 'unknown';
      this.accepted.push(link.application);
    }
    const where = this.onSent({ text, application: link.application });
    if (where === 'before') {
      cut(link);
      return;
    }
    link.cutOnAnswer = where === 'answered';
    link.server.write(data, () => {
      if (where === 'after') cut(link);
    });
    this.#apply(link);
  }

  #apply({ application, client, server, isDead }: Link): void {
    for (const socket of [client, server]) {
      if (isDead || this.#isStalled(application)) socket.pause();
      else socket.resume();
    }
  }
}

function cut({ client, server }: Link): void {
  client.destroy();
  server.destroy();
}
