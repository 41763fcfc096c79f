// A challenge and its answer, as an agent signs in, beside a bare loop that verifies an Ed25519 signature and inserts a row, in turn. What
// counts is CPU: the aim is under 2 ms of the server's for a pair.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Pool } from 'undici';
import { type CpuSeconds, cpuSeconds, postmasterOf } from './cpu.js';
import { median, openBenchDatabase, Sandbox, say } from './platform.js';

const about = `Usage: npm run bench -- authenticate [--rounds 5] [--pairs 1000] [--agents 50] [--connections 8]

In each round --connections ask for --pairs challenges, sign them and send the answers. Uses an embedded PostgreSQL of its own unless
DATABASE_URL names a database that it may fill.`;

interface Agent {
  id: string;
  key: KeyObject;
}

interface Measured {
  /** Pairs. */
  perSecond: number;
  /** CPU microseconds for each pair. */
  server: number;
  postgres: number;
}

interface Bare {
  perSecond: number;
  /** CPU microseconds of this process for each turn. */
  micros: number;
}

export async function run(args: string[]): Promise<void> {
  const number = { type: 'string' } as const;
  const options = { rounds: number, pairs: number, agents: number, connections: number, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) return say(about);
  const [rounds, pairs, connections] = [Number(values.rounds ?? 5), Number(values.pairs ?? 1_000), Number(values.connections ?? 8)];
  const database = await openBenchDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: connections });
  // PostgreSQL may end before the last socket does.
  pool.on('error', () => {});
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await Sandbox.start(database.url);
    const agents = await enrol(sandbox, Number(values.agents ?? 50));
    await makeBareTable(pool);
    // What the first requests compile and load is no request's cost.
    await signIn(sandbox.url, agents, connections, 2 * pairs);
    await bareLoop(pool, connections, 2 * pairs);
    const postmaster = await postmasterOf(pool);
    const results: { bare: Bare; ours: Measured }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const bare = await bareLoop(pool, connections, pairs);
      const before = await cpuSeconds(sandbox.url, postmaster);
      const seconds = await signIn(sandbox.url, agents, connections, pairs);
      const after = await cpuSeconds(sandbox.url, postmaster);
      const micros = (part: keyof CpuSeconds) => ((after[part] - before[part]) * 1e6) / pairs;
      results.push({ bare, ours: { perSecond: pairs / seconds, server: micros('server'), postgres: micros('postgres') } });
    }
    const middle = (of: (result: (typeof results)[number]) => number) => median(results.map(of)).toFixed(0);
    say(
      `${rounds} rounds of ${pairs} pairs, ${connections} connections, ${agents.length} agents: ${middle(({ ours }) => ours.perSecond)} pairs/s, ` +
        `CPU of a pair: server ${middle(({ ours }) => ours.server)} us (${results.map(({ ours }) => ours.server.toFixed(0)).join(' ')}), ` +
        `PostgreSQL ${middle(({ ours }) => ours.postgres)} us`,
    );
    const ratio = median(results.map(({ ours, bare }) => ours.server / bare.micros)).toFixed(1);
    say(
      `bare loop: ${middle(({ bare }) => bare.perSecond)}/s, CPU of one: this process ${middle(({ bare }) => bare.micros)} us; ` +
        `a pair takes ${ratio} times as much`,
    );
  } finally {
    await sandbox?.stop();
    await pool.end();
    await database.stop();
  }
}

async function enrol(sandbox: Sandbox, count: number): Promise<Agent[]> {
  const { data: account } = await sandbox.make<{ data: { id: string } }>('/v1/accounts', { type: 'business', name: 'Bench' });
  const agents: Agent[] = [];
  for (let n = 0; n < count; n += 1) {
    const { data, authKey } = await sandbox.make<{ data: { id: string }; authKey: { privateKey: string } }>('/v1/agents', {
      parent_account_id: account.id,
      name: `Agent ${n}`,
      generate_keypair: true,
    });
    agents.push({ id: data.id, key: privateKeyOf(authKey.privateKey) });
  }
  return agents;
}

/** The key object of a NaCl secret key, whose first half is the seed. */
function privateKeyOf(secretKey: string): KeyObject {
  const seed = Buffer.from(secretKey, 'base64').subarray(0, 32);
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' });
}

/** Signs in so many times; the seconds that it took. */
async function signIn(url: URL, agents: readonly Agent[], connections: number, pairs: number): Promise<number> {
  const client = new Pool(url.origin, { connections });
  const begun = performance.now();
  const post = async (path: string, body?: object): Promise<Record<string, string>> => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await client.request({ method: 'POST', path, ...(body && { headers, body: JSON.stringify(body) }) });
    const json = (await answer.body.json()) as Record<string, string>;
    if (answer.statusCode !== 200) throw new Error(JSON.stringify(json));
    return json;
  };
  const converse = async (first: number) => {
    for (let n = first; n < pairs; n += connections) {
      const agent = agents[n % agents.length] as Agent;
      const { challenge = '' } = await post(`/v1/agents/${agent.id}/challenge`);
      const signature = sign(null, Buffer.from(challenge), agent.key).toString('base64');
      await post(`/v1/agents/${agent.id}/authenticate`, { challenge, signature });
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => converse(n)));
  await client.close();
  return (performance.now() - begun) / 1000;
}

async function makeBareTable(pool: pg.Pool): Promise<void> {
  await pool.query('CREATE SCHEMA IF NOT EXISTS bench');
  await pool.query(
    'CREATE TABLE IF NOT EXISTS bench.session (hash bytea PRIMARY KEY, agent_id text NOT NULL, expires_at timestamptz NOT NULL)',
  );
}

/** Verifies a signature and inserts a row, so many times. */
async function bareLoop(pool: pg.Pool, connections: number, turns: number): Promise<Bare> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = createPublicKey(privateKey);
  const text = Buffer.from(`svc-auth:v1:agt_${'0'.repeat(36)}:${'0'.repeat(43)}:1700000000`);
  const signature = sign(null, text, privateKey);
  const insert = { name: 'bare', text: 'INSERT INTO bench.session VALUES ($1, $2, $3)' };
  const before = process.cpuUsage();
  const begun = performance.now();
  let begunTurns = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (begunTurns < turns) {
        begunTurns += 1;
        if (!verify(null, text, publicKey, signature)) throw new Error('the signature does not hold');
        await pool.query({ ...insert, values: [randomBytes(32), 'agent', new Date()] });
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { perSecond: turns / ((performance.now() - begun) / 1000), micros: (user + system) / turns };
}
