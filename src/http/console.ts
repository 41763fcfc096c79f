// GET /console and /receipt: the pages for people, as scripts/build.mjs has built them from src/console into dist/console (decision 0040).
// Their files have their hash in their names; a page is asked for each time. It talks to this server alone, and runs nothing that is in it.
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
  receipt: string;
  byName: ReadonlyMap<string, Asset>;
}

async function loadFiles(): Promise<Files> {
  const assets = path.join(builtFolder, 'assets');
  const names = await readdir(assets);
  const packed = names.map(async (name) => {
    const content = await readFile(path.join(assets, name));
    return [name, await packAsset(content, types[path.extname(name)] ?? 'application/octet-stream')] as const;
  });
  const pageOf = (name: string) => readFile(path.join(builtFolder, name), 'utf8');
  return { page: await pageOf('index.html'), receipt: await pageOf('receipt.html'), byName: new Map(await Promise.all(packed)) };
}

export interface Console {
  /** Every page of the console: the same document, which finds out by itself which page it is. */
  page: Handler;
  /** The page of a receipt, for whoever has a link or a file. */
  receipt: Handler;
  /** The files of the pages, under /console/assets. */
  asset: Handler;
}

// Gap G-790: `/receipt` says "Sandbox" where it comes from one; a file alone does not say whether its money is real.
// Gap G-372: The console is `/console` and `/console/{page}`, is not in openapi.json, and asks only GraphQL and its own files.
/** The handlers of /console and /receipt. The page of a receipt says so where its money is that of a sandbox. */
export function openConsole(environment: 'live' | 'test'): Console {
  let files: Promise<Files> | undefined;
  const load = (): Promise<Files> => {
    files ??= loadFiles().catch((error) => {
      files = undefined;
      throw error;
    });
    return files;
  };
  const send =
    (pageOf: (files: Files) => string): Handler =>
    async (http) => {
      const page = pageOf(await load());
      http.set('Content-Security-Policy', policy);
      http.set('Cache-Control', 'no-store');
      http.type = 'text/html';
      http.body = page;
    };
  return {
    page: send(({ page }) => page),
    receipt: send(({ receipt }) => receipt.replace('<html ', `<html data-environment="${environment}" `)),
    asset: async (http) => {
      const asset = (await load()).byName.get(http.params['file'] ?? '');
      if (asset !== undefined) sendAsset(http, asset, 'immutable');
    },
  };
}
