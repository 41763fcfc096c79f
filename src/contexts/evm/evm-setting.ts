// What the file of rails says of a chain (CONTRACT.md 27 "Settings", `evm`).
import { z } from 'zod';
import { amountSetting } from '../rails/amount-setting.js';
import { type SecretRef, secretRef } from '../rails/secret.js';
import type { ChainAddress } from '../x402/chain/address.js';
import { depositAddresses, readAddress } from './evm.js';
import type { Depth } from './nodes.js';

/** A key: a keystore with its password, or a signer that holds it. */
export type KeySetting = KeystoreSetting | { remote: string | SecretRef; address: ChainAddress };

/** A keystore. Of deposits its secret is a seed of BIP-32, from which the keys of wallets are derived. */
export interface KeystoreSetting {
  keystore: string;
  password: SecretRef;
}

/** The token of a chain. */
export interface TokenSetting {
  address: ChainAddress;
  name: string;
  version: string;
}

/** What the file says, its amounts in base units of the token or in wei. */
export interface EvmSetting {
  chain?: keyof typeof presets | undefined;
  chain_id?: number | undefined;
  token?: TokenSetting | undefined;
  rpc: readonly (string | SecretRef)[];
  quorum?: number | undefined;
  relayers: readonly KeySetting[];
  treasury: KeySetting;
  deposits?: { xpub: string; key: KeystoreSetting } | undefined;
  confirmations: { answer: number; credit: Depth };
  answer_limit: { per_payment: bigint; open: bigint };
  gas: { max_fee_gwei: bigint; bump_after_seconds: number; low_balance: bigint };
  deposit_minimum: bigint;
  sweep_above: bigint;
  payout_seconds: number;
}

/** The chains that are known by a name. */
export const presets = {
  base: { chainId: 8_453, token: { address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', name: 'USD Coin', version: '2' } },
  'base-sepolia': { chainId: 84_532, token: { address: '0x036cbd53842c5426634e7929541ec2318f3dcf7e', name: 'USDC', version: '2' } },
  polygon: { chainId: 137, token: { address: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', name: 'USD Coin', version: '2' } },
} as const;

const address = z.string().transform((text, ctx): ChainAddress => {
  const read = readAddress(text);
  if ('address' in read) return read.address;
  ctx.issues.push({ code: 'custom', message: read.problem, input: undefined });
  return z.NEVER;
});

/** A URL, which may be a secret because it has a token in it. It is in no message. */
const urlOrSecret = z.unknown().transform((value, ctx): string | SecretRef => {
  if (typeof value !== 'string') {
    const read = secretRef.safeParse(value);
    if (read.success) return read.data;
    ctx.issues.push({ code: 'custom', message: 'must be a URL, {env: NAME} or {file: PATH}', input: undefined });
    return z.NEVER;
  }
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  ctx.issues.push({ code: 'custom', message: 'must be a URL that begins with https:// or http://', input: undefined });
  return z.NEVER;
});

const keystoreKey = z.strictObject({ keystore: z.string().min(1), password: secretRef });
const remoteKey = z.strictObject({ remote: urlOrSecret, address });

/** One of both, by the member that is there: a union would say what is wrong with either. */
const key: z.ZodType<KeySetting> = z.unknown().transform((value, ctx): KeySetting => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || !('keystore' in value || 'remote' in value)) {
    const message = value === undefined ? 'is required' : 'must be {keystore, password} or {remote, address}: no key stands in this file';
    ctx.issues.push({ code: 'custom', message, input: undefined });
    return z.NEVER;
  }
  const read = ('keystore' in value ? keystoreKey : remoteKey).safeParse(value);
  if (read.success) return read.data;
  for (const { path, message } of read.error.issues) ctx.issues.push({ code: 'custom', path, message, input: undefined });
  return z.NEVER;
});

/** A seed is a keystore: a remote signer signs for addresses that it knows, and these are of every wallet. */
const seed: z.ZodType<KeystoreSetting> = z.unknown().transform((value, ctx): KeystoreSetting => {
  const read = keystoreKey.safeParse(value);
  if (read.success) return read.data;
  const isRemote = typeof value === 'object' && value !== null && 'remote' in value;
  if (isRemote)
    ctx.issues.push({
      code: 'custom',
      message: 'must be {keystore, password}: no remote signer derives the keys of wallets',
      input: undefined,
    });
  else for (const { path, message } of read.error.issues) ctx.issues.push({ code: 'custom', path, message, input: undefined });
  return z.NEVER;
});

const xpub = z
  .string()
  .max(200)
  .transform((text, ctx): string => {
    try {
      depositAddresses(text);
      return text;
    } catch (error) {
      ctx.issues.push({ code: 'custom', message: `cannot be used: ${(error as Error).message}`, input: undefined });
      return z.NEVER;
    }
  });

/** A decimal of wei, `digits` of them after the point. */
const decimal = (digits: number) =>
  z.union([z.string(), z.number()]).transform((value, ctx) => {
    const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(String(value)) ?? [];
    if (whole !== undefined && fraction.length <= digits) return BigInt(whole + fraction.padEnd(digits, '0'));
    ctx.issues.push({ code: 'custom', message: 'must be a decimal number', input: undefined });
    return z.NEVER;
  });

const usdc = amountSetting('USDC');
const depth = z.union([z.number().int().min(1).max(1_000), z.enum(['safe', 'finalized'])], 'must be a number of blocks, safe or finalized');

/** The members of a chain in the file. */
export const evmShape = {
  chain: z.enum(Object.keys(presets) as (keyof typeof presets)[]).optional(),
  chain_id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  token: z.strictObject({ address, name: z.string().min(1).max(100), version: z.string().min(1).max(20) }).optional(),
  rpc: z.array(urlOrSecret).min(1).max(5),
  quorum: z.number().int().min(1).max(5).optional(),
  relayers: z.array(key).min(1).max(2),
  treasury: key,
  deposits: z.strictObject({ xpub, key: seed }).optional(),
  confirmations: z
    .strictObject({ answer: z.number().int().min(1).max(100).default(1), credit: depth.default('safe') })
    .default({ answer: 1, credit: 'safe' }),
  answer_limit: z
    .strictObject({ per_payment: usdc.default(10_000_000n), open: usdc.default(1_000_000_000n) })
    .default({ per_payment: 10_000_000n, open: 1_000_000_000n }),
  gas: z.strictObject({
    max_fee_gwei: decimal(9),
    bump_after_seconds: z.number().int().min(1).max(600).default(15),
    low_balance: decimal(18),
  }),
  deposit_minimum: usdc.default(100_000n),
  sweep_above: usdc.default(5_000_000n),
  payout_seconds: z.number().int().min(900).max(86_400).default(3_600),
} satisfies z.ZodRawShape;

/** What is wrong with the settings of one chain beside each other: the member, and a sentence. */
export function faultsOf(own: EvmSetting): { member: string; problem: string }[] {
  const { chain, chain_id, token, rpc, quorum, relayers, treasury } = own;
  const faults: { member: string; problem: string }[] = [];
  if ((chain === undefined) === (chain_id === undefined || token === undefined))
    faults.push({ member: 'chain', problem: `must be ${Object.keys(presets).join(', ')}, or else chain_id and token say which it is` });
  if ((quorum ?? 1) > rpc.length) faults.push({ member: 'quorum', problem: `is more than the ${rpc.length} URLs of rpc` });
  const remote = (each: KeySetting) => ('address' in each ? each.address : null);
  if (remote(treasury) !== null && relayers.some((each) => remote(each) === remote(treasury)))
    faults.push({ member: 'treasury', problem: 'is a relayer too: the money and the gas have keys of their own' });
  return faults;
}

/** The chain that the settings name. */
export function chainOfSetting({ chain, chain_id, token }: EvmSetting): { chainId: bigint; token: TokenSetting } {
  const { chainId, token: known } = chain === undefined ? { chainId: chain_id as number, token: token as TokenSetting } : presets[chain];
  return { chainId: BigInt(chainId), token: known };
}
