// The leaf of a line of the audit log, step by step as CONTRACT.md 25 defines it.
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type LeafLine, leafHash, lineDigest } from '../../src/platform/audit-leaf.js';

const line: LeafLine = {
  id: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
  at: new Date('2026-11-23T15:22:14.699Z'),
  actorType: 'api_key',
  actorId: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6e',
  via: 'jwt',
  keyThumbprint: null,
  action: 'createTransfer',
  resourceType: 'transfer',
  resourceId: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6f',
  requestId: 'req_1',
  ip: '127.0.0.1',
  changes: { to: 'b', amount: '0.01', nested: { z: 1, a: [true, null, 'é"'] } },
  outcome: null,
};
const seed = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

const sha256 = (...chunks: (string | Buffer)[]) => chunks.reduce((hash, chunk) => hash.update(chunk), createHash('sha256')).digest();

/** The digest of a part, whose JSON is written out here. */
function part(name: string, json: string): Buffer {
  const salt = createHmac('sha256', seed).update(name).digest().subarray(0, 16).toString('base64url');
  return sha256(Buffer.from(`["${salt}","${name}",${json}]`).toString('base64url'));
}

const act =
  '{"action":"createTransfer","actor":{"id":"key_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6e","type":"api_key"},"at":"2026-11-23T15:22:14.699Z",' +
  '"line_id":"aud_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d","resource":{"id":"01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6f","type":"transfer"},"via":{"kind":"jwt"}}';
const said = '{"changes":{"amount":"0.01","nested":{"a":[true,null,"é\\""],"z":1},"to":"b"},"ip":"127.0.0.1","request_id":"req_1"}';
const sorted = (...digests: Buffer[]) => sha256(...digests.sort(Buffer.compare));

describe('the digest of a line', () => {
  it('is over the digests of what was done and of what was said, in their order as bytes', () => {
    expect(lineDigest(line, seed)).toEqual(sorted(part('act', act), part('said', said)));
  });

  it('is the same for what the database gives back', () => {
    const stored = { ...line, changes: JSON.parse(JSON.stringify(line.changes)) };
    expect(lineDigest(stored, seed)).toEqual(lineDigest(line, seed));
  });

  it('has no part for what was not said', () => {
    const silent = { ...line, changes: null, ip: null, requestId: null };
    expect(lineDigest(silent, seed)).toEqual(sorted(part('act', act)));
    const outcome = { position: 3, chain_hash: 'ab' };
    expect(lineDigest({ ...silent, outcome }, seed)).toEqual(sorted(part('act', act), part('outcome', '{"chain_hash":"ab","position":3}')));
  });

  it('differs for each seed', () => {
    expect(lineDigest(line, Buffer.alloc(16))).not.toEqual(lineDigest(line, seed));
  });
});

describe('the hash of a leaf', () => {
  it('is that of RFC 6962 over the entry', () => {
    const digest = lineDigest(line, seed);
    const entry = sha256('agent-payments leaf v1\n', digest, Buffer.alloc(32));
    expect(leafHash(digest)).toEqual(sha256(Buffer.of(0), entry));
  });
});
