// cli keystore new|address: a file that its owner alone may read, under a password that is never an argument.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOfKey } from '../src/contexts/evm/evm.js';
import { openKeystore } from '../src/contexts/evm/keystore.js';
import { checksummed } from '../src/contexts/x402/chain/address.js';
import { buildOnce } from './process.js';

const cli = path.join(import.meta.dirname, '..', 'dist', 'cli.js');
const password = 'correct horse battery';
let folder: string;
beforeAll(async () => {
  await buildOnce();
  folder = await mkdtemp(path.join(tmpdir(), 'keystore-'));
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command with something on its standard input. */
async function run(args: readonly string[], input = '', variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [cli, 'keystore', ...args], { env: { PATH: process.env['PATH'], ...variables } });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => {
    said.stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    said.stderr += data.toString();
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, ...said };
}

describe('cli keystore', { timeout: 60_000 }, () => {
  it('makes a key, which a wallet can read, and tells its address', async () => {
    const file = path.join(folder, 'relayer.json');
    const made = await run(['new', '--out', file, '--json'], `${password}\n`);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const key = await openKeystore(await readFile(file, 'utf8'), password);
    const address = checksummed(addressOfKey(key));
    expect(JSON.parse(made.stdout)).toEqual({ address, file });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await run(['address', file], password)).toEqual({ code: 0, stdout: `${address}\n`, stderr: '' });
    const named = ['address', file, '--password-env', 'RELAYER_PASSWORD'];
    expect(await run(named, '', { RELAYER_PASSWORD: password })).toEqual({ code: 0, stdout: `${address}\n`, stderr: '' });
    expect(await run(named)).toMatchObject({ code: 1, stderr: expect.stringContaining('RELAYER_PASSWORD is not set') });
    const wrong = await run(['address', file], 'wrong password');
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('the password is wrong') });
    expect(wrong.stderr).not.toContain('wrong password\n    at');
  });

  it('makes a seed, and tells its extended public key', async () => {
    const [file, secret] = [path.join(folder, 'deposits.json'), path.join(folder, 'password')];
    await writeFile(secret, `${password}\n`, { mode: 0o600 });
    const made = await run(['new', '--deposits', '--out', file, '--password-file', secret]);
    const seed = await openKeystore(await readFile(file, 'utf8'), password);
    const xpub = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'").publicExtendedKey;
    expect(made).toEqual({ code: 0, stdout: `${xpub}\n`, stderr: '' });
    expect(await readFile(file, 'utf8')).not.toContain('"address"');
    const asked = await run(['address', file, '--deposits', '--json', '--password-file', secret]);
    expect(JSON.parse(asked.stdout)).toEqual({ xpub });
  });

  it('writes over nothing', async () => {
    const file = path.join(folder, 'other.json');
    await writeFile(file, 'something else');
    const refused = await run(['new', '--out', file], password);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is there already') });
    expect(await readFile(file, 'utf8')).toBe('something else');
  });

  it.each([
    ['without a file', ['new'], '--out is required'],
    ['without a password', ['new', '--out', 'never.json'], 'at least 8 characters'],
    ['with a password as an argument', ['new', '--out', 'never.json', '--password', password], 'Unknown option'],
    ['of no file', ['address'], 'name the keystore'],
  ])('%s is refused', async (_, args, said) => {
    const refused = await run(args);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(said);
    expect(refused.stderr).not.toContain(password);
  });
});
