// The memory of the platform outside of its database, and what a process does that has none.
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory, memoryId } from '../../src/platform/memory.js';
import { useHarness } from '../harness.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'memory-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a memory', () => {
  it('has one id, however many ask at once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => memoryId(path.join(folder, 'new'))));
    expect(new Set(ids).size).toBe(1);
    expect(await readdir(path.join(folder, 'new'))).toEqual(['id']);
  });

  it('refuses a file that holds no id', async () => {
    await memoryId(path.join(folder, 'damaged'));
    await writeFile(path.join(folder, 'damaged', 'id'), 'none');
    await expect(memoryId(path.join(folder, 'damaged'))).rejects.toThrow('does not hold the id of a memory');
  });

  it('knows the greatest number that was put down of each thing, whoever did', async () => {
    const [one, other] = [new Memory(folder, 'told'), new Memory(folder, 'told')];
    await one.put([{ name: 'log a', number: 3n, value: 'x' }]);
    await other.refresh();
    await other.put([{ name: 'log a', number: 5n, value: 'y' }]);
    await one.refresh();
    await one.put([{ name: 'log a', number: 4n, value: 'z' }]);
    expect(one.get('log a')).toEqual({ name: 'log a', number: 5n, value: 'y' });
    expect(one.names('log ')).toEqual(['log a']);
  });

  it('leaves a line behind that a crash has cut', async () => {
    await appendFile(path.join(folder, 'told.jsonl'), '["log a","9');
    const after = new Memory(folder, 'told');
    await after.refresh();
    await after.put([{ name: 'log b', number: 1n, value: 'w' }]);
    const again = new Memory(folder, 'told');
    await again.refresh();
    expect([again.get('log a')?.number, again.get('log b')?.number]).toEqual([5n, 1n]);
  });

  it('is written anew when it is long, and says the same', async () => {
    const long = new Memory(folder, 'long');
    for (let n = 0; n < 11; n += 1)
      await long.put(Array.from({ length: 1_000 }, (_, at) => ({ name: 'log a', number: BigInt(n * 1_000 + at), value: 'x' })));
    expect((await readFile(path.join(folder, 'long.jsonl'), 'utf8')).split('\n').length).toBeLessThan(10);
    const again = new Memory(folder, 'long');
    await again.refresh();
    expect(again.get('log a')?.number).toBe(10_999n);
  });
});

describe('a process whose memory cannot be used', () => {
  const h = useHarness({ env: { PLATFORM_MEMORY: path.join(import.meta.filename, 'nowhere') } });

  it('503: signs nothing, and goes on with everything else', async () => {
    expect((await h.test.post('/v1/accounts', { type: 'business', name: 'Seller' })).status).toBe(201);
    const refused = await h.test.get('/v1/evidence/head');
    expect([refused.status, refused.body.code]).toEqual([503, 'dependency_unavailable']);
    expect((await h.test.get('/v1/audit-log/verify')).body.data.valid).toBe(true);
  });
});
