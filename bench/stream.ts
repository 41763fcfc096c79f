// The agents' channel: 5,000 connected agents in one process beside a bare `res.write` loop to as many connections, in turn;
// and how long after its transfer an event arrives. The readers are another process than the writer that is measured.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median, openBenchDatabase, say } from './platform.js';
import type { Answer, Question } from './stream-writer.js';

const about = `Usage: npm run bench -- stream [--agents 5000] [--rounds 5] [--events 20] [--seconds 10] [--rate 200]

Each round sends --events events to each of --agents connected agents, ours and bare in turn. Then --rate transfers a second
for --seconds show how long an event takes. Uses an embedded PostgreSQL of its own unless DATABASE_URL names an empty database.`;

/** A process that writes, and what it is asked. */
class Writer {
  readonly #child: ChildProcess;

  constructor(kind: 'ours' | 'bare', env: Record<string, string>) {
    const file = new URL('./stream-writer.ts', import.meta.url);
    const execArgv = [...process.execArgv, '--expose-gc'];
    this.#child = fork(file, [kind], { execArgv, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  async ask(question: Question): Promise<Answer> {
    const answered = once(this.#child, 'message');
    this.#child.send(question);
    const [answer] = (await answered) as [Answer];
    return answer;
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** Many connections whose events are counted by their last byte: each event has one closing brace. */
class Readers {
  readonly sockets: Socket[] = [];
  count = 0;
  #wanted = 0;
  #reached: (() => void) | undefined;

  async open(url: URL, requests: readonly string[]): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < requests.length) {
        const request = requests[next] ?? '';
        next += 1;
        await this.#connect(url, request);
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
  }

  #connect(url: URL, request: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname, () => socket.write(request));
      this.sockets.push(socket);
      socket.on('error', reject);
      socket.once('data', (head: Buffer) => {
        if (!head.toString('latin1').startsWith('HTTP/1.1 200')) reject(new Error(head.toString()));
        else resolve();
      });
      socket.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(125); at >= 0; at = chunk.indexOf(125, at + 1)) this.count += 1;
        if (this.count >= this.#wanted) this.#reached?.();
      });
    });
  }

  async reach(count: number): Promise<void> {
    this.#wanted = count;
    if (this.count < count)
      await new Promise<void>((resolve) => {
        this.#reached = resolve;
      });
    this.#reached = undefined;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

interface Round {
  perSecond: number;
  cpuMicros: number;
}

/** Sends events to all; the clock stops when the last has arrived. */
async function measure(writer: Writer, readers: Readers, events: number): Promise<Round> {
  const total = readers.sockets.length * events;
  const goal = readers.count + total;
  const { cpuMicros: before } = await writer.ask({ ask: 'cpu' });
  const begun = performance.now();
  writer.ask({ ask: 'write', events }).catch(() => {});
  await readers.reach(goal);
  const seconds = (performance.now() - begun) / 1000;
  await pause(50);
  const { cpuMicros: after } = await writer.ask({ ask: 'cpu' });
  return { perSecond: total / seconds, cpuMicros: ((after ?? 0) - (before ?? 0)) / total };
}

interface Side {
  kind: 'ours' | 'bare';
  writer: Writer;
  readers: Readers;
  /** Bytes for each connection. */
  memory: number;
  url: URL;
}

async function openSide(kind: Side['kind'], agents: number, databaseUrl: string): Promise<Side> {
  const writer = new Writer(kind, { BENCH_DATABASE_URL: databaseUrl });
  const { url = '' } = await writer.ask({ ask: 'start', agents });
  const request = (n: number, id: string) =>
    `GET ${id === '' ? '/' : `/v1/agents/${id}/connect`} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer sess_bench_${n}\r\n\r\n`;
  const { ids = [] } = await writer.ask({ ask: 'agents' });
  const readers = new Readers();
  const requests = Array.from({ length: agents }, (_, n) => request(n, ids[n] ?? ''));
  // What the first connections load for all is no connection's cost.
  const warm = Math.min(500, Math.floor(agents / 10));
  await readers.open(new URL(url), requests.slice(0, warm));
  const { memory: before = 0 } = await writer.ask({ ask: 'memory' });
  await readers.open(new URL(url), requests.slice(warm));
  const { memory: after = 0 } = await writer.ask({ ask: 'memory' });
  return { kind, writer, readers, memory: (after - before) / (agents - warm), url: new URL(url) };
}

export async function run(args: string[]): Promise<void> {
  const number = { type: 'string' } as const;
  const options = { agents: number, rounds: number, events: number, seconds: number, rate: number, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) return say(about);
  const [agents, rounds, events] = [Number(values.agents ?? 5_000), Number(values.rounds ?? 5), Number(values.events ?? 20)];
  const database = await openBenchDatabase();
  const sides: Side[] = [];
  try {
    for (const kind of ['bare', 'ours'] as const) sides.push(await openSide(kind, agents, database.url));
    const results: Record<Side['kind'], Round[]> = { ours: [], bare: [] };
    for (const { writer, readers } of sides) await measure(writer, readers, 2);
    for (let round = 0; round < rounds; round += 1) {
      for (const { kind, writer, readers } of sides) results[kind].push(await measure(writer, readers, events));
    }
    say(`${agents} connections, ${rounds} rounds of ${events} events to each`);
    for (const { kind, memory } of sides) {
      const [rate, cpu] = [median(results[kind].map((r) => r.perSecond)), median(results[kind].map((r) => r.cpuMicros))];
      say(
        `${kind.padEnd(4)}: ${rate.toFixed(0)} events/s, ${cpu.toFixed(1)} us CPU an event, ${(memory / 1024).toFixed(1)} KB a connection`,
      );
    }
    const ratios = results.ours.map((round, n) => round.perSecond / (results.bare[n]?.perSecond ?? 1));
    say(`ratio ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`);
    const ours = sides.find(({ kind }) => kind === 'ours');
    if (ours !== undefined) await showLatency(ours, Number(values.rate ?? 200), Number(values.seconds ?? 10));
  } finally {
    for (const { readers, writer } of sides) {
      readers.close();
      await writer.end();
    }
    await database.stop();
  }
}

/** Transfers at a steady rate to an agent that listens: from the answer, which follows the commit, to the event. */
async function showLatency({ writer, url }: Side, rate: number, seconds: number): Promise<void> {
  const { key = '', session = '', agent = '', wallets = [] } = await writer.ask({ ask: 'payers' });
  const arrived = new Map<string, number>();
  const total = rate * seconds;
  let all: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    all = resolve;
  });
  const stream = await fetch(new URL(`/v1/agents/${agent}/connect`, url), { headers: { Authorization: `Bearer ${session}` } });
  const decoder = new TextDecoder();
  void (async () => {
    let rest = '';
    for await (const chunk of stream.body ?? []) {
      const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = texts.pop() ?? '';
      const at = performance.now();
      for (const text of texts) {
        const id = /"transfer_id":\s?"tx_([^"]+)"/.exec(text)?.[1];
        if (id !== undefined) arrived.set(id, at);
      }
      if (arrived.size >= total) all();
    }
  })().catch(() => {});
  const answered = new Map<string, { sent: number; answered: number }>();
  const pay = async (n: number) => {
    const sent = performance.now();
    const response = await fetch(new URL('/v1/transfers', url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        type: 'internal',
        from_wallet_id: wallets[1 + (n % (wallets.length - 1))],
        to_wallet_id: wallets[0],
        amount: '0.01',
        currency: 'USD',
      }),
    });
    const at = performance.now();
    const { data } = (await response.json()) as { data: { id: string } };
    answered.set(data.id, { sent, answered: at });
  };
  const begun = performance.now();
  const pays: Promise<void>[] = [];
  for (let n = 0; n < total; n += 1) {
    const due = begun + (n * 1000) / rate;
    if (due > performance.now()) await pause(due - performance.now());
    pays.push(pay(n));
  }
  await Promise.all(pays);
  await done;
  const spans = [...answered].map(([id, times]) => ({
    fromAnswer: (arrived.get(id) ?? 0) - times.answered,
    fromSend: (arrived.get(id) ?? 0) - times.sent,
  }));
  const at = (values: number[], share: number) => (values.sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0).toFixed(1);
  const line = (values: number[]) => `p50 ${at(values, 0.5)} ms, p99 ${at(values, 0.99)} ms, most ${at(values, 1)} ms`;
  say(`${total} transfers at ${rate}/s, to the event: from the answer ${line(spans.map(({ fromAnswer }) => fromAnswer))};`);
  say(`from the request ${line(spans.map(({ fromSend }) => fromSend))}`);
}
