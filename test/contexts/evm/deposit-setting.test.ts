// What the file of rails says of deposits, and what the doctor says of an xpub whose seed is another one.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HDKey } from '@scure/bip32';
import { afterAll, describe, expect, it } from 'vitest';
import { accountXpub } from '../../../src/contexts/evm/evm.js';
import { evmKind } from '../../../src/contexts/evm/evm-kind.js';
import { sealKeystore } from '../../../src/contexts/evm/keystore.js';
import type { RailKind } from '../../../src/contexts/rails/rail-kind.js';
import { RailsFileError, readRailsFile } from '../../../src/contexts/rails/rails-file.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { NamedParts } from '../../../src/platform/extension.js';

const folder = mkdtempSync(path.join(tmpdir(), 'deposits-'));
const file = path.join(folder, 'rails.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text, { mode: 0o600 });
write('password', 'of the tests');
const seed = randomBytes(32);
write('seed.json', await sealKeystore(seed, 'of the tests', { withAddress: false, cost: { N: 2, r: 8, p: 1 } }));

const key = '{ keystore: seed.json, password: { file: password } }';
const kinds = new NamedParts('kinds', [{ evm: async (): Promise<RailKind> => evmKind }]);

function read(deposits: string) {
  writeFileSync(
    file,
    `version: 1
rails:
  usdc-base:
    kind: evm
    chain: base
    limits: { per_order: "1", per_day: "1", per_day_count: 1 }
    rpc: [http://127.0.0.1:1/]
    relayers: [${key}]
    treasury: ${key}
    gas: { max_fee_gwei: 1, low_balance: "1" }
    deposits: ${deposits}
`,
  );
  return readRailsFile(file, kinds, () => undefined);
}

async function problemsOf(deposits: string): Promise<readonly string[]> {
  const error = await read(deposits).then(
    () => expect.fail('the file was taken'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RailsFileError);
  return (error as RailsFileError).problems;
}

/** What the check of a name finds. */
async function checked(deposits: string, name: string) {
  const [rail] = (await read(deposits)).rails;
  return rail?.checks.find((check) => check.name === name)?.run({} as Platform);
}

describe('deposits in a file of rails', () => {
  const account = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'");
  const place = 'line 11: rails.usdc-base.deposits';

  it('are taken with the xpub of the seed, which the doctor compares', async () => {
    const deposits = `{ xpub: ${accountXpub(seed)}, key: ${key} }`;
    expect((await read(deposits)).rails[0]?.directions).toEqual(['out', 'in']);
    expect(await checked(deposits, 'deposits')).toMatchObject([{ ok: true }]);
  });

  it('are found wrong by the doctor with the xpub of another seed', async () => {
    const deposits = `{ xpub: ${accountXpub(randomBytes(32))}, key: ${key} }`;
    await expect(checked(deposits, 'deposits')).rejects.toThrow('is not that of its seed');
  });

  it.each([
    [
      'a remote signer',
      '{ remote: https://signer.example, address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" }',
      'no remote signer derives',
    ],
    ['a misspelt member', '{ keystor: seed.json, password: { file: password } }', 'keystor'],
  ])('are refused with %s as their key', async (_what, wrong, said) => {
    const problems = await problemsOf(`{ xpub: ${accountXpub(seed)}, key: ${wrong} }`);
    expect(problems.join('\n')).toContain(`${place}.key`);
    expect(problems.join('\n')).toContain(said);
  });

  it.each([
    ['a text that is none', 'xpub6', 'is no extended public key'],
    ['a private key', account.privateExtendedKey, 'is a private key (xprv)'],
    ['the key of another depth', HDKey.fromMasterSeed(seed).publicExtendedKey, "is not the extended public key of m/44'/60'/0'"],
  ])('are refused with %s as xpub, which is not repeated', async (_what, xpub, said) => {
    const problems = await problemsOf(`{ xpub: ${xpub}, key: ${key} }`);
    expect(problems).toEqual([expect.stringContaining(`${place}.xpub cannot be used: this ${said}`)]);
    expect(problems.join('\n')).not.toContain(xpub.slice(-40));
  });
});
