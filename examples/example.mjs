// What the examples share: their command line, the steps that they print, and a company with an agent that has a key of its own.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** @typedef {import('@agent-payments/sdk').Client} Client */

/**
 * Reads the command line. `--help` prints what the opening comment of the example says.
 * @param {string} file the example: import.meta.url
 */
export function begin(file) {
  const { values } = parseArgs({
    options: {
      key: { type: 'string', default: process.env['KEY'] },
      url: { type: 'string', default: 'http://127.0.0.1:4001' },
      port: { type: 'string', default: '3000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help || values.key === undefined) {
    const [opening = ''] = /^(\/\/ .*\n)+/.exec(readFileSync(new URL(file), 'utf8')) ?? [];
    console.log(opening.replaceAll(/^\/\/ ?/gm, ''));
    console.log(
      '  --key   a test key (or KEY in the environment): npm start prints one, the first time\n  --url   the sandbox, http://127.0.0.1:4001',
    );
    process.exit(values.help ? 0 : 2);
  }
  // The client would wait for the platform for a minute and a half, in case it is being started.
  fetch(`${values.url}/health`).then(
    (answer) => answer.body?.cancel(),
    () => {
      console.error(`Nobody listens at ${values.url}: start the platform with npm start, or say where it is with --url.`);
      process.exit(1);
    },
  );
  let count = 0;
  return {
    key: values.key,
    url: values.url,
    port: Number(values.port),
    /** Prints what comes next. @param {string} text */
    step(text) {
      count += 1;
      console.log(`${count}. ${text}`);
    },
  };
}

/**
 * A company with a wallet and an agent, whose private key never leaves this program: the platform is told the public one.
 * @param {Client} company
 * @param {string} name
 */
export async function hire(company, name) {
  const { data: account } = await company.POST('/v1/accounts', { body: { type: 'business', name } });
  const { data: agent } = await company.POST('/v1/agents', {
    body: { parent_account_id: account.id, name: `Agent of ${name}`, wallet: { currency: 'USDC' } },
  });
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const base64 = (/** @type {string} */ text) => Buffer.from(text, 'base64url').toString('base64');
  await company.POST('/v1/agents/{id}/auth-keys', { params: { path: { id: agent.id } }, body: { public_key: base64(x) } });
  return { account, walletId: agent.default_wallet_id ?? '', credential: { agentId: agent.id, privateKey: base64(d) } };
}
