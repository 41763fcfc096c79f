// The files of a site that scripts/build.mjs has built into a folder of dist. Each is read and packed when somebody asks for it first; no
// other file can be named.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Asset, packAsset } from './asset.js';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.graphql': 'text/plain; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
};

/** Reads the files of `folder`, and gives undefined for what it does not have. */
export function openBuiltFolder(folder: string): (name: string) => Promise<Asset | undefined> {
  const kept = new Map<string, Promise<Asset>>();
  let names: Promise<ReadonlySet<string>> | undefined;
  /** What fails is tried again by the next request. */
  const list = () => {
    names ??= readdir(folder, { recursive: true }).then(
      (found) => new Set(found.map((name) => name.replaceAll(path.sep, '/'))),
      (error) => {
        names = undefined;
        throw error;
      },
    );
    return names;
  };
  return async (name) => {
    const type = types[path.extname(name)];
    if (type === undefined || !(await list()).has(name)) return undefined;
    const found = kept.get(name) ?? readFile(path.join(folder, name)).then((content) => packAsset(content, type));
    kept.set(name, found);
    found.catch(() => kept.delete(name));
    return found;
  };
}
