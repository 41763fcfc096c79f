// The contract of test/chain/token.sol as code. What solc makes of it is kept in token.json with the hash of its source, so that tests
// need no compiler: `RECORD=1 npx vitest run test/chain/token.test.ts` writes it again.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const folder = import.meta.dirname;
const source = () => readFileSync(path.join(folder, 'token.sol'), 'utf8');

/** Where the artifact is kept. */
export const artifactFile = path.join(folder, 'token.json');

export interface Artifact {
  /** SHA-256 of the source, in hexadecimal digits. */
  source: string;
  compiler: string;
  /** What stands at the address of a contract. */
  code: `0x${string}`;
}

/** The code as it is kept. */
export const artifact = (): Artifact => JSON.parse(readFileSync(artifactFile, 'utf8'));

export const sourceHash = (): string => createHash('sha256').update(source()).digest('hex');

const oracles = path.resolve(folder, '../oracles');

/** Whether `npm ci --prefix test/oracles` has installed the compiler. */
export const hasCompiler = existsSync(path.join(oracles, 'node_modules/solc'));

/** Compiles the source; takes ten seconds. Throws with what the compiler says. */
export function compile(): Artifact {
  const solc = createRequire(path.join(oracles, 'package.json'))('solc') as { compile(input: string): string; version(): string };
  const input = {
    language: 'Solidity',
    sources: { 'token.sol': { content: source() } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
    },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  const faults = errors.filter(({ severity }: { severity: string }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }: { formattedMessage: string }) => formattedMessage).join('\n'));
  const code = contracts['token.sol']['Token'].evm.deployedBytecode.object;
  return { source: sourceHash(), compiler: solc.version(), code: `0x${code}` };
}
