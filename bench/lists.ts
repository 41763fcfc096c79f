// Lists, statements and balances on a million transfers, one request after the other, beside a bare look-up by primary key on the same
// PostgreSQL.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { writePast } from './history.js';
import { get, print, timed } from './latency.js';
import { openBenchDatabase, Sandbox, say } from './platform.js';

const about = `Usage: npm run bench -- lists [--transfers 1000000] [--wallets 500] [--requests 400]

Writes a past of --transfers between --wallets wallets, and sends --requests of each kind. Uses an embedded PostgreSQL of its own unless
DATABASE_URL names an empty database.`;

const everyMs = 2_000;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { transfers: { type: 'string' }, wallets: { type: 'string' }, requests: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return say(about);
  const [transfers, wallets, requests] = [values.transfers ?? 1_000_000, values.wallets ?? 500, values.requests ?? 400].map(Number);
  const database = await openBenchDatabase();
  const db = new pg.Client({ connectionString: database.url });
  let sandbox: Sandbox | undefined;
  try {
    await db.connect();
    sandbox = await Sandbox.start(database.url);
    const people = await makeOwners(sandbox, wallets ?? 0);
    const from = new Date(Date.now() - (transfers ?? 0) * everyMs);
    const workspaceId = (await db.query('SELECT workspace_id FROM wallet LIMIT 1')).rows[0].workspace_id;
    const begun = performance.now();
    await writePast(db, { workspaceId, transfers: transfers ?? 0, from, everyMs }, { withEvents: true });
    say(`${transfers} transfers of ${wallets} wallets written in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    const ids = (await db.query<{ id: string }>('SELECT id FROM transfer TABLESAMPLE SYSTEM (1) LIMIT 1000')).rows.map(({ id }) => id);
    const bare = await timed(requests ?? 0, (n) =>
      db.query({
        name: 'bare',
        text: 'SELECT * FROM transfer WHERE workspace_id = $1 AND id = $2',
        values: [workspaceId, ids[n % ids.length]],
      }),
    );
    say(`${'SELECT by primary key'.padEnd(44)} ${print(bare)}`);
    for (const [name, ask, as] of kindsOf(people, from, transfers ?? 0)) {
      const { url } = sandbox;
      const taken = await timed(requests ?? 0, (n) => get(url, ask(n), as));
      say(`${name.padEnd(44)} ${print(taken)}`);
    }
  } finally {
    await sandbox?.stop();
    await db.end();
    await database.stop();
  }
}

interface People {
  owners: { account: string; wallet: string }[];
  agent: { id: string; token: string };
}

type Kind = [name: string, ask: (n: number) => string, as?: string];

/** What is asked for; `n` chooses among wallets and times. */
function kindsOf({ owners, agent }: People, from: Date, transfers: number): Kind[] {
  const owner = (n: number) => owners[(n * 7) % owners.length] as People['owners'][number];
  const at = (n: number) => new Date(from.getTime() + ((n * 7919) % transfers) * everyMs).toISOString();
  return [
    ['transfers', () => '/v1/transfers'],
    ['transfers until a time', (n) => `/v1/transfers?until=${at(n)}`],
    ['transfers of a wallet', (n) => `/v1/transfers?wallet_id=${owner(n).wallet}`],
    ['transfers of the wallet that everybody pays', (n) => `/v1/transfers?wallet_id=${owners[0]?.wallet}&until=${at(n)}`],
    ['transfers from an account', (n) => `/v1/transfers?from_account_id=${owner(n).account}`],
    ['transfers to an account until a time', (n) => `/v1/transfers?to_account_id=${owner(n).account}&until=${at(n)}`],
    ['transfers of an agent', () => `/v1/transfers?agent_id=${agent.id}`],
    ['transfers as the agent sees them', (n) => `/v1/transfers?until=${at(n)}`, agent.token],
    ['transfers that failed', (n) => `/v1/transfers?status=failed&until=${at(n)}`],
    ['transfers, page 200', () => '/v1/transfers?page=200'],
    ['statement of a wallet', (n) => `/v1/wallets/${owner(n).wallet}/entries`],
    ['statement until a time', (n) => `/v1/wallets/${owner(n).wallet}/entries?until=${at(n)}`],
    ['statement of the wallet that everybody pays', (n) => `/v1/wallets/${owners[0]?.wallet}/entries?until=${at(n)}`],
    ['balance of a wallet', (n) => `/v1/wallets/${owner(n).wallet}/balance`],
    ['balance at a time', (n) => `/v1/wallets/${owner(n).wallet}/balance?at=${at(n)}`],
    ['balances of an account at a time', (n) => `/v1/accounts/${owner(n).account}/balances?at=${at(n)}`],
    ['events', () => '/v1/events'],
    ['events of an agent', () => `/v1/events?agent_id=${agent.id}`],
    ['accounts', () => '/v1/accounts'],
    ['wallets of an account', (n) => `/v1/wallets?owner_id=${owner(n).account}`],
    ['agents', () => '/v1/agents'],
  ];
}

async function makeOwners(sandbox: Sandbox, count: number): Promise<People> {
  const make = async (target: string, body: object) => (await sandbox.make<{ data: { id: string } }>(target, body)).data;
  const owners: People['owners'] = [];
  for (let n = 0; n < count; n += 1) {
    const { id: account } = await make('/v1/accounts', { type: 'business', name: `Owner ${n}` });
    const { id: wallet } = await make('/v1/wallets', { owner_type: 'account', owner_id: account, currency: 'USD' });
    owners.push({ account, wallet });
  }
  const made = await sandbox.make<Enrolled>('/v1/agents', {
    parent_account_id: owners[0]?.account,
    name: 'Agent',
    wallet: { currency: 'USD' },
  });
  return { owners, agent: { id: made.data.id, token: made.credentials.token } };
}

interface Enrolled {
  data: { id: string };
  credentials: { token: string };
}
