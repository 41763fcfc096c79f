// The Dockerfile as tests read it: its stages, and what each copies from where.
import { readFileSync } from 'node:fs';

export interface Copy {
  /** The stage that it copies from; null: the folder that is built. */
  from: string | null;
  sources: string[];
  to: string;
}

export interface Stage {
  name: string;
  base: string;
  copies: Copy[];
  env: Record<string, string>;
  labels: Record<string, string>;
  runs: string[];
  /** The other instructions, by their name: the last one of each counts. */
  last: Record<string, string>;
}

/** Words such as `NAME=value` and `name="some words"`. */
function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/([\w.-]+)=(?:"([^"]*)"|(\S+))/g)].map(([, name, quoted, plain]) => [name, quoted ?? plain]));
}

function readCopy(text: string): Copy {
  const words = text.split(/\s+/);
  const from = words[0]?.startsWith('--from=') ? (words.shift() ?? '').slice('--from='.length) : null;
  return { from, sources: words.slice(0, -1), to: words.at(-1) ?? '' };
}

/** The stages of the Dockerfile, in order. The last one is the image. */
export function stagesOf(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '');
  const stages: Stage[] = [];
  for (const [, name = '', rest = ''] of lines.matchAll(/^([A-Z]+)\s+(.+)$/gm)) {
    const stage = stages.at(-1);
    if (name === 'FROM') {
      const [base = '', , as = ''] = rest.split(/\s+/);
      stages.push({ name: as, base, copies: [], env: {}, labels: {}, runs: [], last: {} });
    } else if (name === 'COPY') stage?.copies.push(readCopy(rest));
    else if (name === 'ENV') Object.assign(stage?.env ?? {}, pairsOf(rest));
    else if (name === 'LABEL') Object.assign(stage?.labels ?? {}, pairsOf(rest));
    else if (name === 'RUN') stage?.runs.push(rest);
    else if (stage !== undefined) stage.last[name] = rest;
  }
  return stages;
}

/** The program of an instruction in its JSON form: `CMD ["node", "dist/main.js"]`. */
export function programOf(instruction: string | undefined): string[] {
  return JSON.parse(/\[.*\]$/.exec(instruction ?? '')?.[0] ?? '[]') as string[];
}

/** The stages of the Dockerfile of this checkout. */
export const stages = stagesOf(readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8'));
