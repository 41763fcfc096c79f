// Reads a request's JSON body within its limit: objects only, UTF-8 only, not compressed (CONTRACT.md 0 "Bodies").
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BodyTooLarge, InvalidJson, UnsupportedMediaType } from '../platform/errors.js';

/**
 * The JSON object in the body; `{}` when there is none. 413 beyond `limit` bytes, 415 for another media type, charset or any
 * content encoding, 400 `invalid_json` for what is no JSON object in UTF-8 or ends too early.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Record<string, unknown>> {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  if (chunked === undefined && (length === undefined || length === '0')) return {};
  if (Number(length) > limit) throw new BodyTooLarge(limit);
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return {};
  checkMediaType(request);
  return parseBody(bytes);
}

/** The JSON object that bytes spell. 400 `invalid_json` for anything else. */
export function parseBody(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new InvalidJson('The body is not UTF-8.');
  return parseObject(bytes.toString('utf8'));
}

function checkMediaType({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  // Almost every request: no need to take it apart.
  if (type !== 'application/json') {
    const [essence = '', ...parameters] = (type ?? '')
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    if (essence !== 'application/json') throw new UnsupportedMediaType('Send the body as JSON, with `Content-Type: application/json`.');
    const charset = parameters
      .find((parameter) => parameter.startsWith('charset='))
      ?.slice('charset='.length)
      .replaceAll('"', '');
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') throw new UnsupportedMediaType('JSON is sent in UTF-8.');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new UnsupportedMediaType('Compressed bodies are not accepted.');
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidJson('The body is not valid JSON.', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidJson('The body must be a JSON object.');
  return value as Record<string, unknown>;
}

/**
 * The bytes of a JSON body as they came, for those whose protocol reads them itself. 413 beyond `limit` bytes, 415 for another type; an
 * empty body has none where it `isOptional`.
 */
export async function readRaw(request: IncomingMessage, limit: number, isOptional = false): Promise<Buffer> {
  const bytes = await readBytes(request, limit);
  if (bytes.length > 0 || !isOptional) checkMediaType(request);
  return bytes;
}

/** All bytes of a request, of whatever type. 413 beyond `limit` bytes. Whatever ends it, no listener stays behind. */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limit) return Promise.reject(new BodyTooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const settle = (act: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      act();
    };
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) return settle(() => reject(new BodyTooLarge(limit)));
      chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, received)));
    const onClose = () => settle(() => reject(new InvalidJson('The request ended before its body did.')));
    // The sender has left before the body was asked for: nothing will be told any more.
    if (request.destroyed) return onClose();
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
