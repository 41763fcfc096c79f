// The commands about keystores: a new key, or a seed of deposit addresses, and the address of one. They need no server and no database.
// The password comes from a variable, a file, standard input or who sits at the terminal, and never from the arguments.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { checksummed } from '../contexts/x402/chain/address.js';
import { flag, required, say, settingsOf, text } from './argument.js';

const options = { deposits: flag, json: flag, 'password-file': text, 'password-env': text } as const;

interface PasswordOptions {
  'password-file'?: string | undefined;
  /** The name of a variable. */
  'password-env'?: string | undefined;
}

/** The evm room is loaded by the first command about it, as its libraries are large. */
const evm = () => import('../contexts/evm/evm.js');
const keystores = () => import('../contexts/evm/keystore.js');

export const keystoreCommands = {
  'keystore new': async (args: string[]) => {
    const { values } = parseArgs({ args, options: { ...options, out: text } });
    const file = required(values.out, 'out');
    const password = await newPassword(values);
    const [{ isPrivateKey }, { sealKeystore }] = await Promise.all([evm(), keystores()]);
    let secret = randomBytes(32);
    while (!isPrivateKey(secret)) secret = randomBytes(32);
    const content = await sealKeystore(secret, password, { withAddress: values.deposits !== true });
    await writeFile(file, `${content}\n`, { mode: 0o600, flag: 'wx', flush: true }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`${file} is there already: nothing was written over it`) : error;
    });
    await tell(secret, values, { file });
  },
  'keystore address': async (args: string[]) => {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [file] = positionals;
    if (file === undefined) throw new Error('name the keystore');
    const content = await readFile(file, 'utf8');
    const { openKeystore } = await keystores();
    await tell(await openKeystore(content, await passwordOf(values, 'Password: ')), values, {});
  },
} satisfies Record<string, (args: string[]) => Promise<void>>;

/** What may be known of a secret: the address of a key, or the extended public key of a seed. */
async function tell(secret: Uint8Array, { deposits, json }: { deposits?: boolean; json?: boolean }, more: object): Promise<void> {
  const { accountXpub, addressOfKey } = await evm();
  const [member, value] = deposits === true ? ['xpub', accountXpub(secret)] : ['address', checksummed(addressOfKey(secret))];
  say(json === true ? JSON.stringify({ [member]: value, ...more }) : value);
}

async function newPassword(options: PasswordOptions): Promise<string> {
  const password = await passwordOf(options, 'Password of the new keystore: ');
  if (password.length < fewest) throw new Error(`the password must have at least ${fewest} characters`);
  if (isAsked(options) && (await ask('The same once more: ')) !== password) throw new Error('the two are not the same');
  return password;
}

const fewest = 8;
const isAsked = ({ 'password-file': file, 'password-env': name }: PasswordOptions): boolean =>
  file === undefined && name === undefined && process.stdin.isTTY;

/** The password without the line feed at its end. */
async function passwordOf(options: PasswordOptions, question: string): Promise<string> {
  if (isAsked(options)) return ask(question);
  const { 'password-file': file, 'password-env': name } = options;
  if (name !== undefined) return variableOf(name);
  const given = file === undefined ? await readInput() : await readFile(file, 'utf8');
  return given.replace(/\r?\n$/, '');
}

function variableOf(name: string): string {
  const value = settingsOf({}).variable(name);
  if (value === undefined) throw new Error(`the variable ${name} is not set`);
  return value;
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Asks at the terminal, which does not show what is typed. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const terminal = createInterface({
    input: process.stdin,
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: true,
  });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
