// Batches of 500 internal transfers beside pgbench calling a function that makes 100 transfers on the same PostgreSQL, in turn: one at a
// time, and several. What is compared is postings a second, from the request of a batch to its completion.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeBaselines } from './baseline.js';
import { median, openBenchDatabase, Sandbox, say, testKey } from './platform.js';
import { drained, pgbench } from './transfers.js';
import { makeWallets } from './wallets.js';

const about = `Usage: npm run bench -- batch [--rounds 5] [--seconds 4] [--wallets 1000] [--items 500]

Needs pgbench on the PATH. Uses an embedded PostgreSQL of its own unless DATABASE_URL names a database that it may fill.
Aim: half of what the function does, and a batch of 500 in less than 2 s.`;

/** A hundred transfers between wallets at random, locked in order, for everybody does the same at once. */
const payMany = `
CREATE FUNCTION bench.pay_many(p_wallets int, p_count int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_from int[]; v_to int[];
BEGIN
  SELECT array_agg(a), array_agg(1 + (a + d - 1) % p_wallets) INTO v_from, v_to
  FROM (SELECT 1 + floor(random() * p_wallets)::int AS a, 1 + floor(random() * (p_wallets - 1))::int AS d FROM generate_series(1, p_count)) x;
  PERFORM FROM bench.wallet w WHERE w.id = ANY (v_from || v_to) ORDER BY w.id FOR NO KEY UPDATE;
  FOR n IN 1..p_count LOOP PERFORM bench.pay(v_from[n], v_to[n], 1); END LOOP;
END $$`;
const postingsOfCall = 100;

interface BatchAnswer {
  data: { id: string; status: string; success_count: number };
}

/** Sends a batch and waits for its end. Returns its seconds; fails unless every item succeeded. */
async function carryOut(sandbox: Sandbox, ids: readonly string[], items: number): Promise<number> {
  const at = () => Math.floor(Math.random() * ids.length);
  const transfers = Array.from({ length: items }, () => {
    const from = at();
    const to = (from + 1 + Math.floor(Math.random() * (ids.length - 1))) % ids.length;
    return { type: 'internal', from_wallet_id: ids[from], to_wallet_id: ids[to], amount: '0.01', currency: 'USD' };
  });
  const begun = performance.now();
  let { data } = await sandbox.make<BatchAnswer>('/v1/transfers/batch', { transfers });
  while (data.status === 'pending' || data.status === 'processing') {
    await pause(10);
    const response = await fetch(new URL(`/v1/batches/${data.id}`, sandbox.url), { headers: { Authorization: `Bearer ${testKey}` } });
    data = ((await response.json()) as BatchAnswer).data;
  }
  if (data.success_count !== items) throw new Error(`a batch ended ${data.status} with ${data.success_count} of ${items}`);
  return (performance.now() - begun) / 1000;
}

interface Measured {
  /** Postings a second. */
  ours: number;
  /** Seconds of a batch. */
  took: number;
}

/** Keeps so many batches under way for so many seconds. */
async function measure(sandbox: Sandbox, ids: readonly string[], items: number, width: number, seconds: number): Promise<Measured> {
  const begun = performance.now();
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (performance.now() - begun < seconds * 1000) times.push(await carryOut(sandbox, ids, items));
    }),
  );
  return { ours: (times.length * items * 1000) / (performance.now() - begun), took: median(times) };
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      wallets: { type: 'string' },
      items: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return say(about);
  const [rounds, seconds, wallets] = [Number(values.rounds ?? 5), Number(values.seconds ?? 4), Number(values.wallets ?? 1000)];
  const items = Number(values.items ?? 500);
  const database = await openBenchDatabase();
  const db = new pg.Client({ connectionString: database.url });
  let sandbox: Sandbox | undefined;
  try {
    await db.connect();
    sandbox = await Sandbox.start(database.url);
    const ids = await makeWallets(sandbox, wallets);
    await makeBaselines(db, wallets);
    await db.query(payMany);
    const file = path.join(database.scratch, 'batch.sql');
    await writeFile(file, `SELECT bench.pay_many(${wallets}, ${postingsOfCall});\n`);
    await measure(sandbox, ids, items, 2, 1);
    await pgbench(database.url, file, 2, 1);
    for (const width of [1, 2]) {
      const results: (Measured & { theirs: number })[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const theirs = (await pgbench(database.url, file, width, seconds)) * postingsOfCall;
        results.push({ theirs, ...(await measure(sandbox, ids, items, width, seconds)) });
        await drained(db);
      }
      const middle = (of: keyof (typeof results)[number]) => median(results.map((result) => result[of]));
      const ratio = median(results.map(({ ours, theirs }) => ours / theirs));
      say(
        `${width} at once: ${middle('ours').toFixed(0)} postings/s beside ${middle('theirs').toFixed(0)}/s, ratio ${ratio.toFixed(2)} ` +
          `(aim 0.5); a batch of ${items} in ${middle('took').toFixed(2)} s (aim 2)`,
      );
    }
  } finally {
    await sandbox?.stop();
    await db.end();
    await database.stop();
  }
}
