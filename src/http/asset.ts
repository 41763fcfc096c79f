// A file of a page, compressed once and kept compressed: a browser gets it small and keeps it for ever, since its name holds
// its hash. Callers that take no compression get it unpacked on the way.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip, gzip } from 'node:zlib';
import { namesTag } from '../platform/entity-tag.js';
import type { HttpContext } from './state.js';

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

/** Content in the encodings that it is kept in. */
export interface Packed {
  /** Pictures are compressed already. */
  identity?: Buffer;
  gzip?: Buffer;
  brotli?: Buffer;
}

export interface Asset extends Packed {
  type: string;
  etag: string;
  /** First characters of the content's hash, for its name. */
  hash: string;
}

/** Compresses `content` once, off the event loop, for the least time. */
export async function packQuickly(content: string): Promise<Packed> {
  return { gzip: await packGzip(content, { level: 1 }) };
}

/** Compresses `content` off the event loop. */
export async function packAsset(content: string | Buffer, type: string): Promise<Asset> {
  const bytes = Buffer.from(content);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const named = { type, etag: `"${hash}"`, hash };
  if (type.startsWith('image/')) return { ...named, identity: bytes };
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [brotli, gzipped] = await Promise.all([packBrotli(bytes, { params }), packGzip(bytes, { level: 6 })]);
  return { ...named, gzip: gzipped, brotli };
}

/** `immutable`: the path names the content's hash. Otherwise the caller asks again with its ETag each time. */
export function sendAsset(http: HttpContext, asset: Asset, keep: 'immutable' | 'revalidate'): void {
  http.status = 200;
  http.set('ETag', asset.etag);
  http.set('Cache-Control', keep === 'immutable' ? 'public, max-age=31536000, immutable' : 'no-cache');
  http.vary('Accept-Encoding');
  // Koa's own `fresh` gives way to `Cache-Control: no-cache`, which fetch sends with every If-None-Match.
  if (namesTag(http.get('If-None-Match'), asset.etag)) {
    http.status = 304;
    return;
  }
  sendPacked(http, asset, asset.type);
}

/** Sends the content as the caller takes it: compressed, or unpacked on the way. */
export function sendPacked(http: HttpContext, asset: Packed, type: string): void {
  http.vary('Accept-Encoding');
  http.type = type;
  const kept = asset.brotli === undefined ? ['gzip', 'identity'] : ['br', 'gzip', 'identity'];
  const encoding = asset.identity === undefined ? http.acceptsEncodings(...kept) : 'identity';
  if (encoding !== 'br' && encoding !== 'gzip') {
    http.body = asset.identity ?? unpacked(asset);
  } else {
    http.body = encoding === 'br' ? asset.brotli : asset.gzip;
    http.set('Content-Encoding', encoding);
  }
  // Koa gives a buffer or a stream a type of its own.
  http.type = type;
}

/** The content as a stream, which is read no faster than its reader takes it. */
export function unpacked({ identity, gzip: packed }: Packed): Readable {
  if (identity !== undefined) return Readable.from([identity]);
  const content = createGunzip();
  content.end(packed);
  return content;
}
