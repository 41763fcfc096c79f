// What paying by a protocol costs: its requests beside POST /v1/transfers between the same wallets, in turn. A protocol is one entry of
// `series`.
import { parseArgs } from 'node:util';
import { cardVerifications } from './card-verification.js';
import { checkouts } from './checkouts.js';
import { mandates } from './mandates.js';
import { measure, type Next, type Result, type Series } from './measure.js';
import { recovery, vouchers, x402 } from './paid-apis.js';
import { median, openBenchDatabase, Sandbox, say } from './platform.js';

const series: readonly Series[] = [mandates, checkouts, x402, vouchers];

const about = `Usage: npm run bench -- protocols [--rounds 3] [--seconds 3] [--connections 64] [--only name]

Uses an embedded PostgreSQL of its own unless DATABASE_URL names a database that it may fill. Every request has an Idempotency-Key.
Series: ${series.map(({ name }) => name).join(', ')}.`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return say(about);
  const [rounds, seconds] = [Number(values.rounds ?? 3), Number(values.seconds ?? 3)];
  const connections = Number(values.connections ?? 64);
  for (const line of cardVerifications(values.only)) say(line);
  const database = await openBenchDatabase();
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await Sandbox.start(database.url);
    for (const one of series) {
      if (values.only !== undefined && values.only !== one.name) continue;
      say(await compare(sandbox, one, { rounds, seconds, connections }));
    }
    if (values.only === undefined || values.only === x402.name) say(recovery());
  } finally {
    await sandbox?.stop();
    await database.stop();
  }
}

/** Seconds for which each is sent before it is measured. */
const warmSeconds = 2;

interface Extent {
  rounds: number;
  /** Of a round. */
  seconds: number;
  connections: number;
}

/** Measures a protocol and transfers in turn. */
async function compare(sandbox: Sandbox, { name, aim, open }: Series, { rounds, seconds, connections }: Extent): Promise<string> {
  const requests = await open(sandbox, warmSeconds + rounds * seconds);
  const time = (next: Next, span = seconds) => measure(sandbox.url, connections, span, next);
  await time(requests.transfers, warmSeconds);
  await time(requests.ours, warmSeconds);
  const results: { ours: Result; transfers: Result }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    results.push({ transfers: await time(requests.transfers), ours: await time(requests.ours) });
  }
  const middle = (of: keyof (typeof results)[number], part: keyof Result) => median(results.map((result) => result[of][part])).toFixed(0);
  const cpu = (of: keyof (typeof results)[number]) => `server ${middle(of, 'server')} us, PostgreSQL ${middle(of, 'postgres')} us`;
  const ratios = results.map(({ ours, transfers }) => ours.ours / transfers.ours);
  return (
    `${name}, ${connections} connections: ${middle('ours', 'ours')}/s beside ${middle('transfers', 'ours')}/s transfers, ratio ` +
    `${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}; aim ${aim}); ` +
    `CPU of one: ${cpu('ours')}; of a transfer: ${cpu('transfers')}`
  );
}
