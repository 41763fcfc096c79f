// What the doctor looks at on a chain: that the nodes are of this chain, agree and are not behind, that the token is the one that signatures are
// for, that the keys open, and that there is gas and money (CONTRACT.md 27 "Doctor").
import type { Platform } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import type { Finding, RailBalance, RailCheck } from '../rails/rail-kind.js';
import { type ChainAddress, checksummed } from '../x402/chain/address.js';
import { unclaimedOn } from './arrival.sql.js';
import type { EvmChain } from './chain.js';
import type { Block } from './chain-data.js';
import type { Nodes } from './nodes.js';
import { answerOf } from './quorum.js';
import { lastNonce, openNonces, relayerName } from './relayer.sql.js';
import { balanceCall, domainSeparator, factCalls, readText, readUint, readWord } from './token.js';

type Found = Omit<Finding, 'check'>;

/** A node whose newest block is older says nothing of now, seconds. */
export const mostLagSeconds = 30;

/** Amounts are written as numbers of 64 bits with a sign, so a token must not have as many base units. */
const supplyLimit = 2n ** 63n;

/** The money of a relayer, as it is shown. */
export function formatGas(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18).replace(/0+$/, '') || '0'}`;
}

function finding(ok: boolean, found: string, wanted: string, fix: string): Found {
  return { ok, found, wanted, fix: ok ? null : fix };
}

async function headOf(platform: Platform, chain: EvmChain): Promise<{ nodes: Nodes; head: Block }> {
  const nodes = await chain.nodes(platform);
  return { nodes, head: answerOf(await nodes.head()) };
}

/** The checks of a chain, in the order in which each makes sense. */
export function chainChecks(chain: EvmChain): RailCheck[] {
  const check = (
    name: string,
    options: { isCheap?: true; stops?: true },
    run: (platform: Platform) => Promise<readonly Found[]>,
  ): RailCheck => ({
    name,
    isCheap: options.isCheap === true,
    stops: options.stops === true,
    run,
  });
  return [
    check('chain', {}, (platform) => checkChain(platform, chain)),
    check('nodes', { isCheap: true, stops: true }, (platform) => checkNodes(platform, chain)),
    check('token', {}, (platform) => checkToken(platform, chain)),
    check('keys', {}, (platform) => checkKeys(platform, chain)),
    check('gas', { isCheap: true }, (platform) => checkGas(platform, chain)),
    check('treasury', { isCheap: true }, (platform) => checkTreasury(platform, chain)),
    check('nonces', {}, (platform) => checkNonces(platform, chain)),
    ...(chain.depositAddress === null
      ? []
      : [
          check('deposits', {}, () => checkDeposits(chain)),
          check('unclaimed', { isCheap: true }, (platform) => checkUnclaimed(platform, chain)),
        ]),
  ];
}

async function checkChain(platform: Platform, chain: EvmChain): Promise<Found[]> {
  const id = answerOf(await (await chain.nodes(platform)).chainId());
  return [finding(id === chain.chainId, `chain ${id}`, `chain ${chain.chainId}`, 'Name nodes of this chain in rpc, or another chain.')];
}

async function checkNodes(platform: Platform, chain: EvmChain): Promise<Found[]> {
  const { nodes, head } = await headOf(platform, chain);
  const lag = Math.round(platform.clock.now().getTime() / 1_000) - Number(head.timestamp);
  const deep = answerOf(await nodes.deep(chain.credit, head));
  return [
    finding(
      Math.abs(lag) <= mostLagSeconds,
      `the newest block is ${lag} s old`,
      `at most ${mostLagSeconds} s, and the same clock`,
      'Look whether the nodes are in step, and the clock of this machine.',
    ),
    finding(
      deep !== null,
      deep === null ? 'no deep block yet' : `${chain.credit} is block ${deep.number}`,
      'a deep block',
      'Wait until the chain is long enough.',
    ),
  ];
}

async function checkToken(platform: Platform, chain: EvmChain): Promise<Found[]> {
  const { nodes, head } = await headOf(platform, chain);
  const code = answerOf(await nodes.code(chain.token, head));
  if (code === '0x') return [finding(false, `no code at ${chain.token}`, 'a token', 'Name the address of the token on this chain.')];
  const ask = async (data: `0x${string}`) => {
    const result = answerOf(await nodes.call(head, { to: chain.token, data }));
    return 'data' in result ? result.data : '0x';
  };
  const { name, version } = chain.domain;
  const facts = {
    name: { found: readText(await ask(factCalls.name)), wanted: name },
    version: { found: readText(await ask(factCalls.version)), wanted: version },
    decimals: { found: String(readUint(await ask(factCalls.decimals))), wanted: '6' },
    domain: { found: readWord(await ask(factCalls.domainSeparator)), wanted: domainSeparator(chain.domain) },
  };
  const supply = readUint(await ask(factCalls.totalSupply));
  return [
    ...Object.entries(facts).map(([what, { found, wanted }]) =>
      finding(
        found === wanted,
        `${what} ${found}`,
        `${what} ${wanted}`,
        'Signatures would be for another token: correct token in the file.',
      ),
    ),
    finding(
      supply !== null && supply < supplyLimit,
      `supply ${supply}`,
      `supply below ${supplyLimit}`,
      'A transfer of so much could not be written down, and the chain would be read no further: name another token.',
    ),
  ];
}

async function checkKeys(platform: Platform, chain: EvmChain): Promise<Found[]> {
  const { treasury, relayers } = await chain.signers(platform);
  const shown = [`treasury ${checksummed(treasury.address)}`, ...relayers.map(({ address }) => `relayer ${checksummed(address)}`)];
  return shown.map((found) => finding(true, found, 'a key', ''));
}

async function checkGas(platform: Platform, chain: EvmChain): Promise<Found[]> {
  const { nodes, head } = await headOf(platform, chain);
  const { relayers } = await chain.signers(platform);
  const { low_balance: low } = chain.setting.gas;
  return Promise.all(
    relayers.map(async ({ address }) => {
      const money = answerOf(await nodes.gasMoney(address, head));
      const found = `${formatGas(money)} at ${checksummed(address)}`;
      return finding(money >= low, found, `at least ${formatGas(low)}`, 'Send gas to the relayer.');
    }),
  );
}

/** What an address has of the token after a block, base units. Throws one sentence where nobody knows. */
export async function tokensOf(nodes: Nodes, head: Block, chain: EvmChain, address: ChainAddress): Promise<bigint> {
  const result = answerOf(await nodes.call(head, { to: chain.token, data: balanceCall(address) }));
  const balance = 'data' in result ? readUint(result.data) : null;
  if (balance === null) throw new Error('the token does not say what an address has');
  return balance;
}

async function checkTreasury(platform: Platform, chain: EvmChain): Promise<Found[]> {
  const { nodes, head } = await headOf(platform, chain);
  const { treasury } = await chain.signers(platform);
  const money = await tokensOf(nodes, head, chain, treasury.address);
  const found = `${formatMinor(money, 'USDC')} USDC at ${checksummed(treasury.address)}`;
  return [finding(money > 0n, found, 'money', 'Send USDC to the treasury.')];
}

async function checkNonces(platform: Platform, chain: EvmChain): Promise<Found[]> {
  const { nodes, head } = await headOf(platform, chain);
  const { relayers } = await chain.signers(platform);
  const { pool } = platform.database;
  return Promise.all(
    relayers.map(async ({ address }) => {
      const used = answerOf(await nodes.nonce(address, head));
      const relayer = { chainId: chain.chainId, address };
      const given = (await lastNonce(pool, relayerName(relayer))) + 1n;
      const open = (await openNonces(pool, relayer)).length;
      const isOurs = given === 0n || used <= given;
      const found = `${used} used, ${given} given here, ${open} under way`;
      return finding(isOurs, found, 'none that was not given here', 'Somebody else sends with this key: make a new relayer.');
    }),
  );
}

async function checkDeposits(chain: EvmChain): Promise<Found[]> {
  await chain.walletKeys();
  return [finding(true, 'the xpub belongs to the seed', 'the xpub of the seed', '')];
}

async function checkUnclaimed({ database }: Platform, { chainId }: EvmChain): Promise<Found[]> {
  const { count, amount } = await unclaimedOn(database.pool, chainId);
  const found = `${count} deposits, ${formatMinor(amount, 'USDC')} USDC, for wallets that are closed`;
  return [finding(count === 0, found, 'none', 'Pay them back from the treasury: their transactions stand on the statement of the rail.')];
}

/** What is where: the gas of relayers, and the money of the treasury. */
export async function readBalances(platform: Platform, chain: EvmChain): Promise<RailBalance[]> {
  const { nodes, head } = await headOf(platform, chain);
  const { treasury, relayers } = await chain.signers(platform);
  const gas = await Promise.all(
    relayers.map(async ({ address }) => ({
      where: `relayer ${checksummed(address)}`,
      amount: formatGas(answerOf(await nodes.gasMoney(address, head))),
      unit: 'gas',
    })),
  );
  const money = await tokensOf(nodes, head, chain, treasury.address);
  return [...gas, { where: `treasury ${checksummed(treasury.address)}`, amount: formatMinor(money, 'USDC'), unit: 'USDC' }];
}
