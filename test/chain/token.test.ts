// The token that tests put on a chain: its kept code is that of its source.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isSlow } from '../slow.js';
import { artifact, artifactFile, compile, hasCompiler, sourceHash } from './compile.js';

const isRecorded = process.env['RECORD'] === '1';

describe('test/chain/token.json', () => {
  it.runIf(isRecorded)(
    'is written',
    () => {
      writeFileSync(artifactFile, `${JSON.stringify(compile(), null, 2)}\n`);
    },
    120_000,
  );

  it('is of the source beside it', () => {
    expect(artifact().source).toBe(sourceHash());
    expect(artifact().code).toMatch(/^0x([0-9a-f]{2}){2000,}$/);
  });

  it.runIf(isSlow && hasCompiler)('is what the compiler makes of it', () => expect(compile()).toEqual(artifact()), 120_000);
});
