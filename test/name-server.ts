// A name server over UDP, as tests of foreign names need it: it answers at once, when it is told to, never, or with a refusal.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** `never` leaves questions without an answer until they are released. */
type Rule = readonly string[] | 'never' | 'servfail';

interface Question {
  name: string;
  type: number;
  /** The bytes of the question section. */
  section: Buffer;
  id: Buffer;
  from: RemoteInfo;
}

const types = { 1: 4, 28: 6 } as const;

export class NameServer {
  readonly #socket: Socket;
  readonly #rules = new Map<string, Rule>();
  readonly #held: Question[] = [];
  readonly #asked = new Set<string>();
  #listeners: (() => void)[] = [];
  /** Every name that was asked for, in order; each once for each kind of address, and once more where a packet was sent again. */
  readonly questions: string[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (message, from) => this.#take(read(message, from)));
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** The names that were asked for, each once. */
  get names(): string[] {
    return [...this.#asked];
  }

  /** What a name leads to; one without a rule is NXDOMAIN. Questions that are held are answered by the new rule. */
  lead(name: string, rule: Rule): void {
    this.#rules.set(name, rule);
    for (const question of this.#held.splice(0)) this.#answer(question);
  }

  /** Resolves when so many names have been asked for. */
  async heard(count: number): Promise<string[]> {
    while (this.#asked.size < count) await new Promise<void>((resolve) => this.#listeners.push(resolve));
    return this.names;
  }

  async stop(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  #take(question: Question): void {
    this.questions.push(question.name);
    this.#asked.add(question.name);
    for (const listener of this.#listeners.splice(0)) listener();
    this.#answer(question);
  }

  #answer(question: Question): void {
    const rule = this.#rules.get(question.name);
    if (rule === 'never') this.#held.push(question);
    else this.#socket.send(answerOf(question, rule), question.from.port, question.from.address);
  }
}

function read(message: Buffer, from: RemoteInfo): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = message.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type, section: message.subarray(12, at + 5), id: message.subarray(0, 2), from };
}

const refused = { nxdomain: 3, servfail: 2 };

function answerOf({ type, section, id }: Question, rule: Exclude<Rule, 'never'> | undefined): Buffer {
  const code = rule === undefined ? refused.nxdomain : rule === 'servfail' ? refused.servfail : 0;
  const family = types[type as keyof typeof types];
  const addresses = Array.isArray(rule) ? rule.filter((address: string) => address.includes(':') === (family === 6)) : [];
  const head = Buffer.alloc(10);
  head.writeUInt16BE(0x8180 | code, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(addresses.length, 4);
  return Buffer.concat([id, head, section, ...addresses.map((address: string) => record(type, address))]);
}

/** A record of a name that stands at the beginning of the question. */
function record(type: number, address: string): Buffer {
  const data = bytesOf(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [before = '', after = ''] = address.replace(/::ffff:127\.0\.0\.1/, '::ffff:7f00:1').split('::');
  const parts = (text: string) => text.split(':').flatMap((part) => (part === '' ? [] : [Number.parseInt(part, 16)]));
  const [head, tail] = [parts(before), parts(after)];
  const groups = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
