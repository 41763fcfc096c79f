// What RAILS_FILE may say, and what is said of one that is wrong: everything at once, by path and line, and no secret.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RailsFileError, readRailsFile } from '../../../src/contexts/rails/rails-file.js';
import { plenty, railsText, testKinds } from './test-kind.js';

const folder = mkdtempSync(path.join(tmpdir(), 'rails-file-'));
const file = path.join(folder, 'rails.yaml');
const variables: Record<string, string> = { RAIL_SECRET: 'from the environment' };
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  writeFileSync(file, text);
  return readRailsFile(file, testKinds, (name) => variables[name]);
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const error = await read(text).then(
    () => expect.fail('the file was taken'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RailsFileError);
  const { problems, message } = error as RailsFileError;
  expect(message).toBe(`${file} does not say what rails there are:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  return problems;
}

const good = `usdc-base: {kind: test, ${plenty}}`;

describe('a file of rails', () => {
  it('gives rails with what every rail has', async () => {
    const operator = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
    const limits = 'limits: {per_order: "10.50", per_day: "100.00", per_day_count: 7}';
    const more = `usdc-far: {kind: test, workspaces: [${operator}], fee: "0.25", expected_seconds: 5, ${limits}}`;
    const { operator: said, rails } = await read(`operator: ${operator}\n${railsText(good, more)}`);
    expect(said).toBe(operator);
    expect(rails).toMatchObject([
      { name: 'usdc-base', kind: 'test', currency: 'USDC', workspaces: 'all', fee: 0n, expectedSeconds: 600 },
      {
        name: 'usdc-far',
        workspaces: [operator],
        fee: 250_000n,
        limits: { perOrder: 10_500_000n, perDay: 100_000_000n, perDayCount: 7 },
        expectedSeconds: 5,
      },
    ]);
    expect((await read(railsText(good))).operator).toBeNull();
  });

  it('has a digest for each rail, which changes with its settings alone', async () => {
    const digest = async (text: string) => (await read(railsText(text))).rails[0]?.digest;
    const reordered = `usdc-base: {${plenty}, kind: test}`;
    expect(await digest(reordered)).toBe(await digest(good));
    expect(await digest(good.replace('}}', '}, fee: "0.01"}'))).not.toBe(await digest(good));
  });

  it('reads secrets where it says they are', async () => {
    const secret = path.join(folder, 'secret');
    writeFileSync(secret, 'from a file\n', { mode: 0o600 });
    for (const ref of ['{env: RAIL_SECRET}', '{file: secret}', `{file: ${secret}}`])
      expect((await read(railsText(`usdc-base: {kind: test, ${plenty}, secret: ${ref}}`))).rails).toHaveLength(1);
  });

  it.each([
    ['no kind', `usdc-base: {${plenty}}`, 'line 3: rails.usdc-base.kind must be one of test'],
    ['an unknown kind', `usdc-base: {kind: tset, ${plenty}}`, 'line 3: rails.usdc-base.kind must be one of test: did you mean test?'],
    [
      'a misspelt member',
      `usdc-base: {kind: test, ${plenty}, feee: "1"}`,
      'line 3: rails.usdc-base.feee is no member here: did you mean fee?',
    ],
    [
      'a misspelt member within',
      'usdc-base: {kind: test, limits: {per_order: "1", per_day: "1", per_day_count: 1, perday: "1"}}',
      'line 3: rails.usdc-base.limits.perday is no member here: did you mean per_day?',
    ],
    ['no limits', 'usdc-base: {kind: test}', 'line 3: rails.usdc-base.limits is required'],
    [
      'an amount that is a number',
      'usdc-base: {kind: test, limits: {per_order: 1.5, per_day: "2", per_day_count: 1}}',
      'line 3: rails.usdc-base.limits.per_order must be a text: write the amount in quotes, such as "100.00"',
    ],
    [
      'a name of capitals',
      `USDC: {kind: test, ${plenty}}`,
      'line 3: rails.USDC has a name of other than 2 to 20 lower-case letters, digits and "-"',
    ],
    [
      'a name that the kind has not',
      `pix: {kind: test, ${plenty}}`,
      'line 3: rails.pix is of kind test: it carries USDC by usdc-<name>, and USD by wire',
    ],
    ['a rail that is a text', 'usdc-base: test', 'line 3: rails.usdc-base must be an object'],
    [
      'a workspace that is none',
      `usdc-base: {kind: test, ${plenty}, workspaces: [everybody]}`,
      'line 3: rails.usdc-base.workspaces.0 must be the id of a workspace',
    ],
  ])('is refused with %s', async (_what, rail, problem) => {
    expect(await problemsOf(railsText(rail))).toContainEqual(problem);
  });

  it('is refused with all its problems at once, each with its line', async () => {
    const text = `version: 2\noperator: nobody\nrails:\n  usdc-base:\n    kind: test\n    fee: "-1"\n  usdc-far:\n    kind: tets\n    ${plenty}\n`;
    const problems = await problemsOf(text);
    expect(problems).toEqual([
      'line 1: version must be 1: this release reads version 1',
      'line 2: operator must be the id of a tenant',
      ...problems.slice(2),
    ]);
    const others = await problemsOf(text.replace('version: 2', 'version: 1').replace('operator: nobody\n', ''));
    expect(others.map((problem) => problem.slice(0, 40))).toEqual([
      expect.stringMatching(/^line 5: rails.usdc-base.fee /),
      expect.stringMatching(/^line (3|4): rails.usdc-base.limits is/),
      expect.stringMatching(/^line 7: rails.usdc-far.kind must be one/),
    ]);
  });

  it.each(['hunter2 hunter2', '12345678901'])('does not repeat the secret %s that stands in it', async (secret) => {
    const problems = await problemsOf(railsText(`usdc-base: {kind: test, ${plenty}, secret: ${secret}}`));
    expect(problems).toEqual([
      'line 3: rails.usdc-base.secret is a secret, which does not stand in this file: it must be {env: NAME} or {file: PATH}',
    ]);
    expect(problems.join()).not.toContain(secret);
  });

  it.each(['{env: RAIL_SECRET, file: x}', '{env: "RAIL SECRET"}', '{key: x}', '[x]', '{env: {}}', 'null'])(
    'has no secret at %s',
    async (ref) => {
      const problems = await problemsOf(railsText(`usdc-base: {kind: test, ${plenty}, secret: ${ref}}`));
      expect(problems).toEqual([expect.stringMatching(/^line 3: rails.usdc-base.secret must (be {env|name a variable)/)]);
    },
  );

  it('names every rail whose secret cannot be had', async () => {
    const open = path.join(folder, 'open');
    writeFileSync(open, 'everybody reads this', { mode: 0o644 });
    chmodSync(open, 0o644);
    writeFileSync(path.join(folder, 'empty'), '', { mode: 0o600 });
    writeFileSync(path.join(folder, 'long'), 'x'.repeat(65_537), { mode: 0o600 });
    const refs = ['{file: open}', '{file: nowhere}', '{file: empty}', '{file: long}', '{file: .}', '{env: NOT_SET}'];
    const problems = await problemsOf(railsText(...refs.map((ref, at) => `usdc-${at}: {kind: test, ${plenty}, secret: ${ref}}`)));
    expect(problems).toEqual([
      `line 3: rails.usdc-0 cannot be opened: ${open} may be read by others than its owner: chmod 600 it`,
      `line 4: rails.usdc-1 cannot be opened: there is no file ${path.join(folder, 'nowhere')}`,
      'line 5: rails.usdc-2 cannot be opened: empty is empty',
      `line 6: rails.usdc-3 cannot be opened: ${path.join(folder, 'long')} is longer than 64 KiB`,
      `line 7: rails.usdc-4 cannot be opened: ${folder} is no file`,
      'line 8: rails.usdc-5 cannot be opened: the variable NOT_SET is not set',
    ]);
    expect(problems.join()).not.toContain('everybody reads');
  });

  it('is refused where two rails are in each other’s way', async () => {
    const rails = ['usdc-base', 'usdc-far'].map((name) => `${name}: {kind: test, ${plenty}, account: same}`);
    expect(await problemsOf(railsText(...rails))).toEqual(['line 4: rails.usdc-far.account is the account of another rail']);
  });

  const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}*${'abcdefgh'[at]}]\n`).join('')}`;
  it.each([
    ['a bomb of aliases', bomb, /alias/i],
    ['a tag', `version: !!js/function 1\n${railsText(good).replace('version: 1\n', '')}`, /^Line 1: .*tag/i],
    ['a member twice', `version: 1\n${railsText(good)}`, /^Line 2: .*unique/i],
    ['two documents', `${railsText(good)}---\n${railsText(good)}`, /document/i],
    ['more than 256 KiB', `${railsText(good)}#${'x'.repeat(262_144)}`, /longer than 262144 characters/],
    ['a member of all objects', `version: 1\nrails:\n  __proto__: {kind: test, ${plenty}}\n`, /__proto__ has a name|must have a rail/],
    ['nothing', '', /./],
    ['a list', '- version: 1', /must be an object/],
    ['no rails', 'version: 1\nrails: {}\n', /rails must have a rail/],
    ['too many rails', railsText(...Array.from({ length: 21 }, (_, at) => `usdc-${at}x: {kind: test, ${plenty}}`)), /at most 20 rails/],
  ])('is refused with %s', async (_what, text, problem) => {
    expect((await problemsOf(text)).join('\n')).toMatch(problem);
  });

  it('says that there is none', async () => {
    await expect(readRailsFile(path.join(folder, 'none'), testKinds, () => undefined)).rejects.toThrow('there is no such file');
    await expect(readRailsFile(folder, testKinds, () => undefined)).rejects.toThrow('cannot be read: EISDIR');
  });
});
