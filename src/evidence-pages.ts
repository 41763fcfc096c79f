// What a listener shows of published logs of evidence, at the addresses where readers of such logs look (C2SP tlog-tiles).

import { evidencePath } from './contexts/evidence/log.js';
import { aboutLog, newestCheckpoint, publishedLog, readTileName, tileBytes } from './contexts/evidence/published.js';
import type { Endpoint } from './http/router.js';
import type { Handler } from './http/state.js';
import type { Environment, Platform } from './platform/ctx.js';
import { NotFound } from './platform/errors.js';

/** Segments of the longest name of a tile, below its level: three groups of digits, and the width of a partial one. */
const mostSegments = 4;

/** The pages of published logs. `before` is what each request passes first. */
export function evidencePages(platform: Platform, environment: Environment, ...before: readonly Handler[]): Endpoint[] {
  const base = `${evidencePath}/{log_id}`;
  const page = (path: string, handler: Handler): Endpoint => ({
    method: 'GET',
    path,
    isOpen: true,
    rateClass: 'tile',
    handlers: [...before, handler],
  });
  const about: Handler = async (http) => {
    http.body = await aboutLog(await publishedLog(platform, http.params['log_id'], environment));
    http.set('Cache-Control', 'public, max-age=60');
    http.set('Access-Control-Allow-Origin', '*');
  };
  const checkpoint: Handler = async (http) => {
    http.body = await newestCheckpoint(await publishedLog(platform, http.params['log_id'], environment));
    http.type = 'text/plain; charset=utf-8';
    http.set('Cache-Control', 'no-store');
    http.set('Access-Control-Allow-Origin', '*');
  };
  const tile: Handler = async (http) => {
    const { log_id: id, level = '', ...segments } = http.params;
    const name = readTileName([level, ...names.map((segment) => segments[segment] ?? [])].flat().join('/'));
    if (name === null) throw new NotFound();
    http.body = await tileBytes(await publishedLog(platform, id, environment), name);
    http.type = 'application/octet-stream';
    // A tile never changes: a partial one is of a tree that has grown since.
    http.set('Cache-Control', 'public, max-age=31536000, immutable');
    http.set('Access-Control-Allow-Origin', '*');
  };
  const names = Array.from({ length: mostSegments }, (_, n) => `part_${n}`);
  const tiles = names.map((_, n) => {
    const parts = names.slice(0, n + 1).map((part) => `{${part}}`);
    return page(`${base}/tile/{level}/${parts.join('/')}`, tile);
  });
  return [page(base, about), page(`${base}/`, about), page(`${base}/checkpoint`, checkpoint), ...tiles];
}
