// The guides of /docs and the other documents are true: each command and each program of a page is run in its order against one sandbox, and prints what the page shows.
// GUIDES=write npx vitest run test/guides.test.ts puts what was printed into the pages, with the members that they show.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../src/platform/postgres/cluster.js';
import { answerOf, type Block, fileOf, type Guide, isAnswered, type Language, readGuides, runBlocks } from './guide.js';
import { ServerOnDatabase } from './server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });
const guides = readGuides();
const doesWrite = process.env['GUIDES'] === 'write';
/** A receiver of each language has a port of its own. */
const ports: Record<Language, number> = { sh: (await freePort()) ?? 0, ts: (await freePort()) ?? 0, python: (await freePort()) ?? 0 };
let server: ServerOnDatabase;
let folder: string;

beforeAll(async () => {
  server = await ServerOnDatabase.start({
    RATE_LIMIT_AUTH: '1000000',
    WEBHOOK_ALLOW_HOSTS: Object.values(ports)
      .map((port) => `127.0.0.1:${port}`)
      .join(),
  });
  folder = await mkdtemp(path.join(tmpdir(), 'guides-'));
});
afterAll(async () => {
  await server?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** An answer as it stands in a page. */
const shown = ({ kind }: { kind: string }, text: string) => `\`\`\`${kind} answer\n${text}\n\`\`\``;

/** What the blocks of a page in one language have not printed as it says. */
async function faultsOf({ name }: Guide, language: Language, blocks: readonly Block[]): Promise<string[]> {
  if (blocks.length === 0) return [];
  const { key, url } = await server.newTenant();
  const cwd = await mkdtemp(path.join(folder, 'page-'));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...server.env, KEY: key, SANDBOX_PORT: new URL(url).port };
  const { code, printed, stderr } = await runBlocks(blocks, language, { host: new URL(url).host, port: ports[language] }, cwd, env);
  const faults = blocks.flatMap(({ answer, code: text }, at) => {
    const said = printed[at];
    if (said === undefined) return [];
    if (answer === undefined) return /"code":|^Traceback/.test(said) ? [`refused: ${text}\n${said}`] : [];
    if (isAnswered(answer, said)) return [];
    if (doesWrite) toWrite.push({ name, from: shown(answer, answer.text), to: shown(answer, answerOf(answer, said)) });
    return [`${text}\nprinted\n${said}\nand the page shows\n${answer.text}`];
  });
  return code === 0 ? faults : [...faults, `${name} ${language} ended with ${code} after ${printed.length} blocks: ${stderr}`];
}

const toWrite: { name: string; from: string; to: string }[] = [];
afterAll(async () => {
  for (const guide of guides) {
    const text = toWrite.filter(({ name }) => name === guide.name).reduce((so, { from, to }) => so.replace(from, () => to), guide.text);
    if (text !== guide.text) await writeFile(fileOf(guide.name), text);
  }
});

describe('the guides', () => {
  const programs = guides.flatMap((guide) =>
    (['sh', 'ts', 'python'] as const).map((language) => ({
      guide,
      language,
      blocks: guide.blocks.filter((block) => block.language === language && block.notRun === undefined),
    })),
  );

  it.concurrent.each(
    programs.filter(({ blocks }) => blocks.length > 0).map((program) => [program.guide.name, program.language, program] as const),
  )('%s runs in %s', async (_name, _language, { guide, language, blocks }) => {
    expect(await faultsOf(guide, language, blocks)).toEqual([]);
  });

  it('leave few blocks out, and say why', () => {
    const all = guides.flatMap(({ blocks }) => blocks);
    const left = all.filter(({ notRun }) => notRun !== undefined);
    expect(all.length).toBeGreaterThan(200);
    expect(left.map(({ notRun }) => notRun)).toEqual([
      'it is a start in production, on a database of yours',
      'it needs Docker',
      'the test has a server of its own',
      'the test has a server of its own',
      'it goes on until it is stopped',
      'it is the start, and the tests themselves',
      'test/examples.test.ts runs them',
      'test/contexts/configuration applies the files',
      'it goes on until it is stopped',
      'it goes on until it is stopped',
      'test/demo.test.ts plays it',
      'test/demo.test.ts plays it where Anvil is installed',
      'it is a start on a database of yours',
      'it needs Docker',
      'it needs the id of a tenant',
      "it needs pg_dump of the server's version",
      "it needs pg_restore of the server's version",
      'it needs a dump',
      'it is a script for cron',
      'it needs a second PostgreSQL',
      'it needs a second PostgreSQL',
      'it needs a tenant, and a head that was kept',
      'it needs a tenant, and entries of more than a year ago',
      'test/factories/mpp-call.ts has this client, with the names that are free here',
    ]);
  });
});
