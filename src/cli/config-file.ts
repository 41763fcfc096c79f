// A configuration in a file: YAML, or JSON, which is YAML too. Comments and the order of what stays are kept where a file is written again.
import { type Document, isMap, isSeq, type YAMLMap, type YAMLSeq, Document as YamlDocument } from 'yaml';
import { readYaml } from '../platform/yaml.js';

/** Characters of a file, as many as a request may have. */
const mostCharacters = 1_048_576;

/** What a file says, and where each part of it stands. */
export interface ConfigFile {
  source: string | undefined;
  config: unknown;
  /** The line of what stands at the path of a request, such as `config.policies.0.rules`. */
  lineOf(path: string): number | undefined;
}

/** Reads a file. Throws one sentence, with the line, for what it cannot be. */
export function readConfigFile(text: string): ConfigFile {
  const { value, lineOf } = readYaml(text, { most: mostCharacters });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The file must be an object with version and config.');
  const { version, source, config, revision: _, managed: __, ...others } = value as Record<string, unknown>;
  if (version !== 1) throw new Error(`The file is of version ${JSON.stringify(version) ?? 'none'}: this release reads version 1.`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new Error(`${unknown.slice(0, 64)} is no member of a configuration file, which has version, source and config.`);
  if (source !== undefined && typeof source !== 'string') throw new Error('source must be a text.');
  if (config === undefined) throw new Error('The file has no config.');
  return {
    source,
    config,
    lineOf: (path) => lineOf(path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))),
  };
}

interface Exported {
  config: unknown;
  source?: string | undefined;
}

/** The text of a file. `before` is that of the file which it takes the place of: its comments stay where what they stand at stays. */
export function writeConfigFile({ config, source }: Exported, before?: string): string {
  const content = { version: 1, ...(source !== undefined && { source }), config };
  if (before === undefined) return new YamlDocument(content).toString({ lineWidth: 0 });
  const { document } = readYaml(before, { most: mostCharacters });
  if (isMap(document.contents)) mergeMap(document, document.contents, content);
  else document.contents = document.createNode(content) as never;
  return document.toString({ lineWidth: 0 });
}

type Plain = Readonly<Record<string, unknown>>;

/** Makes the node say `value`; nodes that say the same already are left as they are. */
function mergeMap(document: Document, map: YAMLMap, value: Plain): void {
  for (const { key } of [...map.items]) if (!(String(key) in value)) map.delete(key);
  for (const [name, inner] of Object.entries(value)) {
    const node: unknown = map.get(name, true);
    if (isMap(node) && isPlain(inner)) mergeMap(document, node, inner);
    else if (isSeq(node) && Array.isArray(inner)) mergeList(document, node, inner);
    else if (map.get(name) !== inner) map.set(name, document.createNode(inner));
  }
}

/** Things of a list are known by their names, else by their places. */
function mergeList(document: Document, list: YAMLSeq, values: readonly unknown[]): void {
  const nodes = [...list.items];
  const byName = new Map(nodes.flatMap((node) => (isMap(node) && node.has('name') ? [[node.get('name'), node] as const] : [])));
  list.items = values.map((value, index) => {
    const node = isPlain(value) && 'name' in value ? byName.get(value['name']) : nodes[index];
    if (isMap(node) && isPlain(value)) {
      mergeMap(document, node, value);
      return node;
    }
    const isAsBefore = node !== undefined && JSON.stringify(node) === JSON.stringify(value);
    return isAsBefore ? node : document.createNode(value);
  });
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
