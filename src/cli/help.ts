// What `--help` prints: every command, and every setting.
import { settings } from '../config.js';
import { commandLine } from '../platform/program.js';

const inColumns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

/** Every command with what it is about, and every setting with its default. */
export function helpOf(commands: Readonly<Record<string, { usage: string; about: string }>>): string {
  return `Usage: ${commandLine('<command>')}

Commands
${inColumns(Object.values(commands).map(({ usage, about }) => [usage, about]))}

Settings (environment)
${inColumns(settings.map(({ name, meaning, default: preset }) => [name, preset === '' ? meaning : `${meaning} (${preset})`]))}`;
}
