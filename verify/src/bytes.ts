// Bytes and their spellings. What is not spelled in the one canonical way is refused: `QQ==` and `QR==` are the same byte.
import { sha256 as hashOf } from '@noble/hashes/sha2.js';

const utf8 = new TextEncoder();

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => hashOf(joined(parts));
export const bytesOf = (text: string): Uint8Array => utf8.encode(text);

/** Bytes one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, n) => byte === b[n]);
}

/** The order of bytes. */
export function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, n) => byte !== b[n]);
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

const base64urlOf = (bytes: Uint8Array): string => base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** The bytes of padded base64; undefined for anything that is not the canonical spelling of some bytes. */
export function fromBase64(text: unknown): Uint8Array | undefined {
  return typeof text === 'string' ? decoded(text, text, base64Of) : undefined;
}

/** The bytes of base64url without padding; undefined for anything that is not the canonical spelling of some bytes. */
export function fromBase64url(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined;
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  return decoded(text, plain + '='.repeat((4 - (plain.length % 4)) % 4), base64urlOf);
}

function decoded(text: string, padded: string, encode: (bytes: Uint8Array) => string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.from(atob(padded), (character) => character.charCodeAt(0));
    return encode(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The text of UTF-8; undefined for bytes that are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
