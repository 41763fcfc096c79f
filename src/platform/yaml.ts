// YAML that people write: one document, without tags of its own, and with a line for whatever is wrong in it.
import { type Document, LineCounter, parseDocument } from 'yaml';

/** Aliases that a file may resolve: more is a bomb. */
const mostAliases = 100;

/** A document, and where each part of it stands. */
export interface YamlText {
  document: Document;
  value: unknown;
  /** The line of what stands at a path of members and places in lists, or of what contains it. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** Reads a document. Throws one sentence, with the line, for what is none. */
export function readYaml(text: string, { most }: { most: number }): YamlText {
  if (text.length > most) throw new Error(`The file is longer than ${most} characters.`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new Error(`Line ${lines.linePos(problem.pos[0]).line}: ${problem.message}`);
  return {
    document,
    value: document.toJS({ maxAliasCount: mostAliases }),
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] | null } | undefined;
        if (node?.range) return lines.linePos(node.range[0]).line;
      }
      return undefined;
    },
  };
}
