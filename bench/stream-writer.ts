// What bench/stream.ts measures, in a process of its own: our server with connected agents, or a bare loop over responses.
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../src/config.js';
import { printSeq } from '../src/contexts/agents/agent-event.sql.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import type { FanoutItem } from '../src/platform/fanout.js';
import { createLogger } from '../src/platform/log.js';
import { migrate } from '../src/platform/postgres/migration.js';
import { newId } from '../src/platform/schema/id.js';
import { type RunningServer, startServer } from '../src/server.js';

export type Question =
  | { ask: 'start'; agents: number }
  | { ask: 'agents' }
  | { ask: 'memory' }
  | { ask: 'cpu' }
  | { ask: 'write'; events: number }
  | { ask: 'payers' };

export interface Answer {
  url?: string;
  ids?: string[];
  /** Resident bytes after a collection. */
  memory?: number;
  cpuMicros?: number;
  key?: string;
  session?: string;
  agent?: string;
  wallets?: string[];
}

/** JSON of an event's data, as the outbox writes it. */
function dataOf(agentId: string, seq: number): string {
  return JSON.stringify({
    id: `evt_${agentId}`,
    type: 'transfer_completed',
    time: '2026-03-02T10:00:00.000Z',
    agent_id: `agt_${agentId}`,
    transfer_id: `tx_${agentId}`,
    amount: `${seq}.00`,
    currency: 'USD',
    direction: 'inbound',
    counterparty_account_id: `acc_${agentId}`,
    protocol: 'internal',
  });
}

interface Writer {
  start(agents: number): Promise<string>;
  agents(): string[];
  /** Writes one event to each connection. */
  write(seq: number): void;
  payers(): Promise<Answer>;
}

class Bare implements Writer {
  readonly #responses: ServerResponse[] = [];
  readonly #id = newId(new Date(0));

  async start(): Promise<string> {
    const server = createServer((request, response) => {
      request.socket.setNoDelay(true);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': hello\n\n');
      this.#responses.push(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  agents(): string[] {
    return [];
  }

  write(seq: number): void {
    for (const response of this.#responses) {
      response.write(`id: ${printSeq(seq)}\nevent: transfer_completed\ndata: ${dataOf(this.#id, seq)}\n\n`);
    }
  }

  async payers(): Promise<Answer> {
    return {};
  }
}

class Ours implements Writer {
  #server!: RunningServer;
  #key = '';
  #agents: string[] = [];

  async start(agents: number): Promise<string> {
    const databaseUrl = process.env['BENCH_DATABASE_URL'] ?? '';
    const secretsKey = '00'.repeat(32);
    await migrate(databaseUrl);
    const limits = { RATE_LIMIT_SANDBOX: '100000000', RATE_LIMIT_GENERAL: '100000000' };
    const config = loadConfig({ DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey, PORT: '0', SANDBOX_PORT: '0', ...limits });
    this.#server = await startServer({ config: { ...config, databaseUrl, secretsKey }, log: createLogger('warn') });
    process.once('SIGTERM', () => void this.#server.stop().then(() => process.exit(0)));
    const tenant = await createTenant(this.#server.platform, { name: 'Bench' });
    this.#key = tenant.testKey;
    this.#agents = await this.#enrol(agents);
    return this.#server.urls.test ?? '';
  }

  /** Agents with a key and a session each; the session of the nth is `sess_bench_<n>`. */
  async #enrol(count: number): Promise<string[]> {
    const { account, pool } = {
      account: await this.#make('/v1/accounts', { type: 'business', name: 'Bench' }),
      pool: this.#server.platform.database.pool,
    };
    const at = this.#server.platform.clock.now();
    const column = (make: (n: number) => unknown) => Array.from({ length: count }, (_, n) => make(n));
    const [agents, keys, sessions] = [column(() => newId(at)), column(() => newId(at)), column(() => newId(at))];
    const owner = [account['id'], at];
    await pool.query(
      `INSERT INTO agent (id, workspace_id, parent_account_id, name, created_at, updated_at)
       SELECT given.id, a.workspace_id, a.id, 'Bench', $2, $2 FROM unnest($3::uuid[]) AS given (id), account a WHERE a.id = $1`,
      [...owner, agents],
    );
    await pool.query(
      `INSERT INTO agent_key (id, workspace_id, agent_id, public_key, created_at)
       SELECT given.id, a.workspace_id, given.agent, decode(repeat('00', 32), 'hex'), $2 FROM unnest($3::uuid[], $4::uuid[]) AS given (id, agent), account a WHERE a.id = $1`,
      [...owner, keys, agents],
    );
    await pool.query(
      `WITH given AS (SELECT * FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::bytea[]) AS given (id, agent, key, hash)),
       session AS (
         INSERT INTO agent_session (id, workspace_id, agent_id, key_id, ip, created_at, expires_at, last_used_at)
         SELECT given.id, a.workspace_id, given.agent, given.key, '127.0.0.1', $2::timestamptz, $2::timestamptz + interval '1 hour', $2::timestamptz
         FROM given, account a WHERE a.id = $1
         RETURNING id, workspace_id, expires_at
       )
       INSERT INTO credential (hash, workspace_id, kind, id, expires_at)
       SELECT hash, workspace_id, 'session', id, expires_at FROM session JOIN given USING (id)`,
      [...owner, sessions, agents, keys, column((n) => createHash('sha256').update(`sess_bench_${n}`).digest())],
    );
    return agents as string[];
  }

  agents(): string[] {
    return this.#agents;
  }

  write(seq: number): void {
    const items = this.#agents.map(
      (agentId): FanoutItem => ({ topic: agentId, seq, eventId: agentId, type: 'transfer_completed', data: dataOf(agentId, seq) }),
    );
    this.#server.platform.fanout.deliver(items);
  }

  /** An agent with a wallet that others pay, whose stream nobody has open. */
  async payers(): Promise<Answer> {
    const account = await this.#make('/v1/accounts', { type: 'business', name: 'Payers' });
    const [id = ''] = this.#agents.slice(-1);
    const wallets: string[] = [];
    for (let n = 0; n <= 32; n += 1) {
      const owner = n === 0 ? await this.#payee() : { owner_type: 'account', owner_id: account['id'] };
      const wallet = await this.#make('/v1/wallets', { ...owner, currency: 'USD' });
      if (n > 0) await this.#make(`/v1/wallets/${wallet['id']}/fund`, { amount: '100000.00' });
      wallets.push(String(wallet['id']));
    }
    return { key: this.#key, wallets, agent: this.#payeeId ?? id, session: 'sess_bench_payee' };
  }

  #payeeId: string | undefined;

  async #payee(): Promise<object> {
    const account = await this.#make('/v1/accounts', { type: 'business', name: 'Payee' });
    const agent = await this.#make('/v1/agents', { parent_account_id: account['id'], name: 'Payee', generate_keypair: true });
    this.#payeeId = String(agent['id']);
    const { pool } = this.#server.platform.database;
    const at = this.#server.platform.clock.now();
    await pool.query(
      `WITH session AS (
         INSERT INTO agent_session (id, workspace_id, agent_id, key_id, ip, created_at, expires_at, last_used_at)
         SELECT $1, k.workspace_id, k.agent_id, k.id, '127.0.0.1', $4::timestamptz, $4::timestamptz + interval '1 hour', $4::timestamptz
         FROM agent_key k WHERE k.agent_id = $2
         RETURNING id, workspace_id, expires_at
       )
       INSERT INTO credential (hash, workspace_id, kind, id, expires_at) SELECT $3, workspace_id, 'session', id, expires_at FROM session`,
      [newId(at), this.#payeeId.slice('agt_'.length), createHash('sha256').update('sess_bench_payee').digest(), at],
    );
    return { owner_type: 'agent', owner_id: this.#payeeId };
  }

  async #make(target: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(new URL(target, this.#server.urls.test), {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { data: Record<string, unknown> };
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer.data;
  }
}

const writer: Writer = process.argv[2] === 'bare' ? new Bare() : new Ours();
let seq = 0;

/** One event to each at a time, and the loop turns between, as events come from the outbox in batches. */
async function write(events: number): Promise<void> {
  for (let n = 0; n < events; n += 1) {
    seq += 1;
    writer.write(seq);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function answer(question: Question): Promise<Answer> {
  switch (question.ask) {
    case 'start':
      return { url: await writer.start(question.agents) };
    case 'agents':
      return { ids: writer.agents() };
    case 'memory':
      for (let n = 0; n < 3; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        globalThis.gc?.();
      }
      return { memory: process.memoryUsage.rss() };
    case 'cpu': {
      const { user, system } = process.cpuUsage();
      return { cpuMicros: user + system };
    }
    case 'write':
      await write(question.events);
      return {};
    case 'payers':
      return writer.payers();
  }
}

process.on('message', (question: Question) => {
  answer(question).then(
    (given) => process.send?.(given),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
