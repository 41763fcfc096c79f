// cli config export|diff|apply, against a running platform.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyConfig, diffConfig, exportConfig } from '../src/cli/config-command.js';
import { readConfigFile, writeConfigFile } from '../src/cli/config-file.js';
import { type Json, useHarness } from './harness.js';
import { buildOnce, runCli } from './process.js';

const harness = useHarness();
let folder: string;
const said: string[] = [];
const file = () => path.join(folder, 'config.yaml');
const caller = (client = harness.test) => ({ url: client.url, key: client.key, say: (text: string) => void said.push(text) });
const write = (text: string) => writeFile(file(), text);
const told = () => said.splice(0).join('\n');
const usual = { prune: false, yes: true, plan: undefined };

beforeAll(async () => {
  await buildOnce();
  folder = await mkdtemp(path.join(tmpdir(), 'config-'));
}, 240_000);
afterAll(() => rm(folder, { recursive: true }));

const careful = `version: 1
source: infra
config:
  # Asked for by finance.
  policies:
    - name: Careful
      target: { type: tenant }
      rules:
        - { kind: max_amount, per: day, amount: "100.00", currency: USD } # about a week of searches
`;

describe('a file', () => {
  it('is compared, applied, and exported over, and its comments stay', async () => {
    await write(careful);
    expect(await diffConfig(caller(), { file: file(), prune: false, isJson: false })).toBe(true);
    expect(told()).toMatch(/^\+ policies "Careful"\n {4}target: \{"type":"tenant"\}\n {4}rules: .*\n1 changes, plan [0-9a-f]{32}$/);
    await applyConfig(caller(), { ...usual, file: file() });
    expect(told()).toMatch(/made policies "Careful" {2}pol_.*\nApplied\. What is set up is revision [0-9a-f]{16}\.$/);
    expect(await diffConfig(caller(), { file: file(), prune: false, isJson: false })).toBe(false);
    expect(told()).toBe('Nothing changes.');

    const [policy] = (await harness.test.get('/v1/policies')).body.data;
    await harness.test.patch(`/v1/policies/${policy.id}`, { rules: [{ ...policy.rules[0], amount: '120.00' }] });
    await exportConfig(caller(), file());
    told();
    const text = await readFile(file(), 'utf8');
    expect(text).toContain('# Asked for by finance.');
    expect(text).toContain('# about a week of searches');
    expect(text).toContain('source: infra');
    expect(readConfigFile(text).config).toMatchObject({ policies: [{ name: 'Careful', rules: [{ amount: '120.00' }] }], budgets: [] });
    expect(await diffConfig(caller(), { file: file(), prune: false, isJson: true })).toBe(false);
    expect(JSON.parse(told())).toMatchObject({ changes: [] });
  });

  it('is printed as YAML that is the same every time', async () => {
    await exportConfig(caller(), undefined);
    const first = told();
    await exportConfig(caller(), undefined);
    expect(told()).toBe(first);
    expect(readConfigFile(first).config).toEqual((await harness.test.get('/v1/config')).body.data.config);
  });

  it('may be what GET /v1/config answers', async () => {
    const { data } = (await harness.test.get('/v1/config')).body;
    await write(JSON.stringify(data));
    expect(await diffConfig(caller(), { file: file(), prune: false, isJson: false })).toBe(false);
    told();
  });

  it('is refused with the line of what is wrong', async () => {
    await write(careful.replace('max_amount', 'max_amout'));
    await expect(applyConfig(caller(), { ...usual, file: file() })).rejects.toThrow(/line 9: config\.policies\.0\.rules\.0\.kind/);
    await write(careful.replace('policies:', 'polices:'));
    await expect(diffConfig(caller(), { file: file(), prune: false, isJson: false })).rejects.toThrow(/did you mean policies\?/);
    expect(told()).toBe('');
  });

  it('names references that are not there, and applies nothing', async () => {
    await write(careful.replace('{ type: tenant }', '{ type: agent, id: { agent: nobody } }').replace('Careful', 'Other'));
    await expect(applyConfig(caller(), { ...usual, file: file() })).rejects.toThrow(/references/);
    expect(told()).toContain('! config.policies.0.target.id: {"agent":"nobody"} names nothing');
  });
});

describe('production', () => {
  it('applies without asking only the plan that was seen', async () => {
    await write(careful);
    const live = caller(harness.live);
    await expect(applyConfig(live, { ...usual, file: file() })).rejects.toThrow('--plan');
    await diffConfig(live, { file: file(), prune: false, isJson: true });
    const { plan } = JSON.parse(told());
    await expect(applyConfig(live, { ...usual, file: file(), plan: 'f'.repeat(32) })).rejects.toThrow(/not what it was/);
    await applyConfig(live, { ...usual, file: file(), plan });
    expect(told()).toContain('Applied.');
    const { data } = (await harness.live.get('/v1/policies')).body;
    expect(data.map(({ name }: Json) => name)).toEqual(['Careful']);
  });
});

describe('the program', () => {
  it('exits 0 without and 2 with changes, and asks nobody where there is no terminal', async () => {
    await write(careful.replace('Careful', 'By program'));
    const args = [file(), '--url', harness.test.url, '--key', harness.test.key];
    expect(await runCli(['config', 'diff', ...args], {})).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('+ policies "By program"'),
    });
    expect(await runCli(['config', 'apply', ...args], {})).toMatchObject({ code: 1, stderr: expect.stringContaining('no terminal') });
    expect(await runCli(['config', 'apply', '--yes', ...args], {})).toMatchObject({ code: 0 });
    expect(await runCli(['config', 'diff', ...args], {})).toMatchObject({ code: 0, stdout: expect.stringMatching(/Nothing changes\.\n$/) });
  });
});

describe('what no file may be', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
    .split('')
    .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join()}]`)
    .join('\n')}\nversion: 1\nconfig: *i`;
  it.each([
    ['of another version', 'version: 2\nconfig: {}', /version 2/],
    ['without a version', 'config: {}', /version/],
    ['without a config', 'version: 1', /no config/],
    ['with another member', 'version: 1\nconfigs: {}\nconfig: {}', /configs is no member/],
    ['a list', '[1]', /object/],
    ['empty', '', /object/],
    ['no YAML', 'version: 1\nconfig: [', /^Line 2:/],
    ['with a key twice', 'version: 1\nconfig:\n  rates: []\n  rates: []', /^Line 4:.*unique/],
    ['with a tag', 'version: 1\nconfig: !!js/function "x"', /^Line 2:/],
    ['a bomb of aliases', bomb, /alias/i],
    ['too long', `version: 1\nconfig: {}\n# ${'x'.repeat(5 * 1_048_576)}`, /longer than/],
  ])('%s', (_, text, message) => {
    expect(() => readConfigFile(text)).toThrow(message);
  });

  it('keeps comments at what stays, and drops what is gone', () => {
    const before =
      'version: 1\nconfig:\n  policies: # ours\n    - name: B # second\n      enabled: true\n    - name: A # first\n      enabled: true\n';
    const after = writeConfigFile(
      {
        config: {
          policies: [
            { name: 'A', enabled: false },
            { name: 'C', enabled: true },
          ],
        },
      },
      before,
    );
    expect(after).toBe(
      'version: 1\nconfig:\n  policies:\n    # ours\n    - name: A # first\n      enabled: false\n    - name: C\n      enabled: true\n',
    );
  });
});
