// Alerts of rails and their runbooks: each has one, and a runbook names no command and no alert that there is not.
import { describe, expect, it } from 'vitest';
import { readFiles } from './source.js';

const docs = readFiles(['docs'], ['.md', '.yml']);
const runbooks = docs.filter(({ path }) => path.startsWith('docs/runbooks/'));
const alerts = docs.find(({ path }) => path === 'docs/alerts.yml')?.text ?? '';
const sections = ['What it means', 'What the platform has done already', 'What to look at', 'What to do', 'What never to do'];
const commands = readFiles(['src'], ['.ts'])
  .filter(({ path }) => path === 'src/cli.ts' || path === 'src/cli/database-command.ts')
  .flatMap(({ text }) => [...text.matchAll(/usage: '([a-z-]+(?: [a-z-]+)?)/g)].map(([, usage = '']) => usage));

/** Alerts whose figures are of rails, chains and what is sent by them, without a runbook of their name, or that do not name it. */
function withoutRunbook(rules: string, names: readonly string[]): string[] {
  const ofRails = rules
    .split('- alert: ')
    .slice(1)
    .filter((rule) => /\b(rail|chain|rpc|signer|treasury)_/.test(rule));
  return ofRails.flatMap((rule) => {
    const name = /^\w+/.exec(rule)?.[0] ?? '';
    const isNamed = names.includes(`docs/runbooks/${name}.md`) && rule.includes(`runbook: 'docs/runbooks/${name}.md'`);
    return isNamed ? [] : [name];
  });
}

/** Commands in a text that there are not. */
function unknownCommands(text: string): string[] {
  const called = [...text.matchAll(/\bcli -- ([a-z-]+(?: [a-z-]+)?)|`((?:rails|memory|keystore) [a-z-]+)/g)].map(
    ([, run, short]) => run ?? short ?? '',
  );
  return called.filter((name) => !commands.includes(name) && !commands.includes(name.replace(/ .*/, '')));
}

describe('alerts of rails', () => {
  it('have a runbook each', () => {
    expect(alerts.match(/runbook:/g)?.length).toBeGreaterThan(3);
    expect(
      withoutRunbook(
        alerts,
        runbooks.map(({ path }) => path),
      ),
    ).toEqual([]);
  });

  it('are missed without one', () => {
    const planted = `${alerts}\n      - alert: ChainLost\n        expr: chain_lag_seconds > 60\n`;
    expect(
      withoutRunbook(
        planted,
        runbooks.map(({ path }) => path),
      ),
    ).toEqual(['ChainLost']);
    expect(withoutRunbook(alerts, [])).toContain('RailRestored');
  });
});

describe('runbooks', () => {
  it.each(runbooks)('$path is whole, of an alert, and names commands that there are', ({ path, text }) => {
    const name = /([A-Za-z]+)\.md$/.exec(path)?.[1];
    expect(text.startsWith(`# ${name}\n`)).toBe(true);
    expect(alerts).toContain(`- alert: ${name}\n`);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(sections);
    expect(unknownCommands(text)).toEqual([]);
  });

  it('would be found out', () => {
    expect(commands).toContain('rails on');
    expect(unknownCommands('npm run cli -- rails rescue usdc-base, `memory forget`, `rails on`')).toEqual([
      'rails rescue',
      'memory forget',
    ]);
  });
});
