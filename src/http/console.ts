// GET /console: the page for people, as scripts/build.mjs has built it from src/console into dist/console (decision 0040). Its files have
// their hash in their names; the page is asked for each time. It talks to this server alone, and runs nothing that stands in it.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Asset, packAsset, sendAsset } from './asset.js';
import type { Handler } from './state.js';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
};

/** Beside this file's own root, whether that is src or dist. */
const builtFolder = fileURLToPath(new URL('../../dist/console', import.meta.url));

interface Files {
  page: string;
  byName: ReadonlyMap<string, Asset>;
}

async function loadFiles(): Promise<Files> {
  const assets = path.join(builtFolder, 'assets');
  const names = await readdir(assets);
  const packed = names.map(async (name) => {
    const content = await readFile(path.join(assets, name));
    return [name, await packAsset(content, types[path.extname(name)] ?? 'application/octet-stream')] as const;
  });
  return { page: await readFile(path.join(builtFolder, 'index.html'), 'utf8'), byName: new Map(await Promise.all(packed)) };
}

export interface Console {
  /** Every page of the console: the same document, which finds out by itself which page it is. */
  page: Handler;
  /** The files of the page, under /console/assets. */
  asset: Handler;
}

// Gap G-372: The console is `/console` and `/console/{page}`, is not in openapi.json, and asks only GraphQL and its own files.
/** The handlers of /console. */
export function openConsole(): Console {
  let files: Promise<Files> | undefined;
  const load = (): Promise<Files> => {
    files ??= loadFiles().catch((error) => {
      files = undefined;
      throw error;
    });
    return files;
  };
  return {
    page: async (http) => {
      const { page } = await load();
      http.set('Content-Security-Policy', policy);
      http.set('Cache-Control', 'no-store');
      http.type = 'text/html';
      http.body = page;
    },
    asset: async (http) => {
      const asset = (await load()).byName.get(http.params['file'] ?? '');
      if (asset !== undefined) sendAsset(http, asset, 'immutable');
    },
  };
}
