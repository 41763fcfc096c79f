// A file of a page, compressed once and kept compressed: a browser gets it small and keeps it for ever, since its name holds
// its hash. Callers that take no compression get it unpacked on the way.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip, gzip } from 'node:zlib';
import type { HttpContext } from './state.js';

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

export interface Asset {
  type: string;
  etag: string;
  /** First characters of the content's hash, for its name. */
  hash: string;
  /** Pictures are compressed already. */
  identity?: Buffer;
  gzip?: Buffer;
  brotli?: Buffer;
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
  if (
    http
      .get('If-None-Match')
      .split(',')
      .some((tag) => tag.trim().replace(/^W\//, '') === asset.etag)
  ) {
    http.status = 304;
    return;
  }
  http.type = asset.type;
  if (asset.identity !== undefined) {
    http.body = asset.identity;
    return;
  }
  const encoding = http.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding === 'br') http.body = asset.brotli;
  else if (encoding === 'gzip') http.body = asset.gzip;
  else {
    const unpacked = createGunzip();
    unpacked.end(asset.gzip);
    http.body = unpacked;
    http.type = asset.type;
    return;
  }
  http.set('Content-Encoding', encoding);
  http.type = asset.type;
}
