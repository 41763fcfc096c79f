// npm run bench -- <name> [options]: the benchmarks. Each prints ratios to something that runs beside it in turn.
const [name = '', ...args] = process.argv.slice(2);
const benches: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<void> }>>> = {
  authenticate: () => import('./authenticate.js'),
  transfers: () => import('./transfers.js'),
  stream: () => import('./stream.js'),
  webhooks: () => import('./webhooks.js'),
  lists: () => import('./lists.js'),
  batch: () => import('./batch.js'),
  protocols: () => import('./protocols.js'),
  wires: () => import('./wires.js'),
  insight: () => import('./insight.js'),
  growth: () => import('./growth.js'),
  cells: () => import('./cells.js'),
  evidence: () => import('./evidence.js'),
  secrets: () => import('./secrets.js'),
  keeping: () => import('./keeping.js'),
  chain: () => import('./chain.js'),
};

const bench = benches[name];
if (bench === undefined) {
  process.stdout.write(
    `Usage: npm run bench -- <name>\n\n  ${Object.keys(benches).join('\n  ')}\n\nnpm run bench -- <name> --help says more.\n`,
  );
  process.exit(name === '' || name === '--help' ? 0 : 1);
}
const { run } = await bench();
await run(args);
