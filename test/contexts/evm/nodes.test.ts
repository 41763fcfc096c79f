// What several nodes say together, of which some lie, fail or are behind: nothing is known on one word, and two good ones suffice.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Block, LogFilter } from '../../../src/contexts/evm/chain-data.js';
import { type Hex, keccak } from '../../../src/contexts/evm/evm.js';
import { Nodes } from '../../../src/contexts/evm/nodes.js';
import type { Known } from '../../../src/contexts/evm/quorum.js';
import { RpcUrl } from '../../../src/contexts/evm/rpc.js';
import { addressTopic, authorizationStateCall, balanceCall, readTokenLog, topics } from '../../../src/contexts/evm/token.js';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { Anvil, hasAnvil, withAnvil } from '../../chain/anvil.js';
import { LyingNode, lieAbout } from '../../chain/lying-node.js';

const outbound = new Outbound({ allowHosts: [] });
let nowMs = Date.parse('2026-11-27T00:00:00Z');
const clock = { now: () => new Date(nowMs) };

let chain: Anvil;
let fronts: LyingNode[] = [];
let nodes: Nodes;
let payer: Hex;
let payee: Hex;
/** The block of a transfer of 5 base units, its transaction, and what finds its log. */
let at: Block;
let hash: Hex;
let filter: LogFilter;

function known<T>(answer: Known<T>): T {
  if (answer.state === 'unknown') throw new Error(`${answer.reason} ${JSON.stringify(answer.said)}`);
  return answer.value;
}

const nodesOf = (urls: readonly { url: string }[], quorum: number) =>
  new Nodes({ urls: urls.map(({ url }) => new RpcUrl({ url, outbound, clock, timeoutMs: 30_000 })), quorum });

const word = (text: string) => text.slice(2).padStart(64, '0');
const transferData = (to: Hex, value: bigint): Hex => `0xa9059cbb${word(to)}${word(`0x${value.toString(16)}`)}`;

async function pay(value: bigint): Promise<Hex> {
  return chain.ask('eth_sendTransaction', { from: payer, to: chain.token, data: transferData(payee, value) });
}

beforeAll(async () => {
  if (!hasAnvil) return;
  chain = await Anvil.start({ args: ['--slots-in-an-epoch', '2'] });
  fronts = await Promise.all([0, 1, 2].map(() => LyingNode.open(chain.url)));
  [payer, payee] = await chain.ask('eth_accounts');
  await chain.setMoney(payer, 1_000_000n);
  filter = { addresses: [chain.token], topics: [topics.transfer, null, [addressTopic(payee)]] };
  await chain.mine(5);
  hash = await pay(5n);
  at = known(await nodesOf([chain], 1).head());
  await chain.mine(5);
});
beforeEach(() => {
  nowMs += 120_000;
  nodes = nodesOf(fronts, 2);
});
afterEach(() => {
  for (const front of fronts) front.repent();
});
afterAll(async () => {
  for (const front of fronts) await front.close();
  await chain?.stop();
  await outbound.close();
});

const wrongHash: Hex = keccak(Buffer.from('another'));
/** The truth about the transfer, as every question gives it. */
const questions = {
  receipt: () => nodes.receipt(hash, at),
  logs: () => nodes.logsOf(at, filter),
  range: () => nodes.logsUpTo(at, 1n, filter),
  money: () => nodes.call(at, { to: chain.token, data: balanceCall(payee) }),
  authorization: () => nodes.call(at, { to: chain.token, data: authorizationStateCall(payer, wrongHash) }),
  gas: () => nodes.gasMoney(payer, at),
  nonce: () => nodes.nonce(payer, at),
  code: () => nodes.code(chain.token, at),
  head: () => nodes.head(),
  block: () => nodes.blockOf(at.hash),
  height: () => nodes.blockAt(at.number),
  chain: () => nodes.chainId(),
} as const;
type Asked = keyof typeof questions;

const lies: readonly (readonly [string, Asked, ReturnType<typeof lieAbout>])[] = [
  ['hides a receipt', 'receipt', lieAbout('eth_getTransactionReceipt', () => null)],
  ['says that it reverted', 'receipt', lieAbout('eth_getTransactionReceipt', (truth) => ({ ...truth, status: '0x0' }))],
  ['gives another receipt', 'receipt', lieAbout('eth_getTransactionReceipt', (truth) => ({ ...truth, transactionHash: wrongHash }))],
  [
    'has it in another block',
    'receipt',
    lieAbout('eth_getTransactionReceipt', ({ logs, ...truth }) => ({
      ...truth,
      blockHash: wrongHash,
      logs: logs.map((log: object) => ({ ...log, blockHash: wrongHash })),
    })),
  ],
  ['hides a log', 'logs', lieAbout('eth_getLogs', () => [])],
  ['invents an amount', 'logs', lieAbout('eth_getLogs', ([log]) => [{ ...log, data: `0x${'7'.padStart(64, '0')}` }])],
  ['gives a log twice', 'logs', lieAbout('eth_getLogs', ([log]) => [log, log])],
  ['gives a log of another contract', 'logs', lieAbout('eth_getLogs', ([log]) => [{ ...log, address: payee }])],
  ['gives a log of a removed block', 'logs', lieAbout('eth_getLogs', ([log]) => [{ ...log, removed: true }])],
  ['gives a log of another block', 'logs', lieAbout('eth_getLogs', ([log]) => [{ ...log, blockHash: wrongHash }])],
  ['gives a log without topics', 'logs', lieAbout('eth_getLogs', ([log]) => [{ ...log, topics: log.topics.slice(0, 1) }])],
  ['gives no list of logs', 'logs', lieAbout('eth_getLogs', () => null)],
  ['hides a log of a range', 'range', lieAbout('eth_getLogs', () => [])],
  ['invents a log of a range', 'range', lieAbout('eth_getLogs', ([log]) => [{ ...log, blockNumber: '0x1', blockHash: wrongHash }, log])],
  ['invents money', 'money', lieAbout('eth_call', () => `0x${'f'.padStart(64, '0')}`)],
  ['says that an authorization is used', 'authorization', lieAbout('eth_call', () => `0x${'1'.padStart(64, '0')}`)],
  ['gives no bytes', 'money', lieAbout('eth_call', () => null)],
  ['gives a number as a text', 'gas', lieAbout('eth_getBalance', () => '1000')],
  ['gives a number', 'gas', lieAbout('eth_getBalance', () => 1_000)],
  ['gives a number with zeros before it', 'gas', lieAbout('eth_getBalance', () => '0x01')],
  ['invents a used nonce', 'nonce', lieAbout('eth_getTransactionCount', () => '0xff')],
  ['has no contract', 'code', lieAbout('eth_getCode', () => '0x')],
  ['invents a head', 'head', lieAbout('eth_getBlockByNumber', (block) => ({ ...block, number: '0xffffff' }))],
  ['has another block', 'head', lieAbout('eth_getBlockByNumber', (block) => ({ ...block, hash: wrongHash }))],
  ['is 50 blocks behind', 'head', lieAbout('eth_getBlockByNumber', () => null)],
  ['has a block without a base fee', 'head', lieAbout('eth_getBlockByNumber', ({ baseFeePerGas: _, ...block }) => block)],
  ['has another parent', 'block', lieAbout('eth_getBlockByHash', (block) => ({ ...block, parentHash: wrongHash }))],
  ['does not know a block', 'block', lieAbout('eth_getBlockByHash', () => null)],
  ['gives a block of another height', 'height', lieAbout('eth_getBlockByNumber', (block) => ({ ...block, number: '0x1' }))],
  ['is another chain', 'chain', lieAbout('eth_chainId', () => '0x1')],
];

describe.runIf(hasAnvil)(`nodes of which a quorum must agree${withAnvil}`, () => {
  it('say what happened', async () => {
    const receipt = known(await questions.receipt());
    expect(receipt).toMatchObject({ transactionHash: hash, isReverted: false, from: payer, to: chain.token, blockHash: at.hash });
    const [log] = known(await questions.logs());
    expect(log).toEqual(receipt?.logs[0]);
    expect(readTokenLog(chain.token, log as NonNullable<typeof log>)).toEqual({ kind: 'transfer', from: payer, to: payee, value: 5n });
    expect(known(await questions.range())).toEqual([log]);
    expect(known(await questions.money())).toEqual({ data: `0x${'5'.padStart(64, '0')}` });
    expect(known(await questions.nonce())).toBe(1n);
    expect(known(await questions.chain())).toBe(84_532n);
    expect(known(await questions.head()).number).toBe(at.number + 5n);
    expect(known(await questions.block())).toEqual(at);
    expect(known(await nodes.blockAt(at.number))).toEqual(at);
    expect(known(await nodes.blockOf(wrongHash))).toBeNull();
    expect(known(await nodes.receipt(wrongHash, at))).toBeNull();
    const before = known(await nodes.blockAt(at.number - 1n));
    expect(before.hash).toBe(at.parentHash);
    expect(known(await nodes.receipt(hash, before))).toBeNull();
    expect(known(await nodes.logsOf(before, filter))).toEqual([]);
    expect(known(await nodes.call(before, { to: chain.token, data: balanceCall(payee) }))).toEqual({ data: `0x${'0'.padStart(64, '0')}` });
  });

  it('know how deep a block lies, and what the chain calls safe', async () => {
    const head = known(await nodes.head());
    expect(known(await nodes.deep(1, head))).toEqual(head);
    expect(known(await nodes.deep(6, head))).toEqual(at);
    expect(known(await nodes.deep(1_000, head))).toBeNull();
    expect(known(await nodes.deep('safe', head))?.number).toBe(head.number - 2n);
    expect(known(await nodes.deep('finalized', head))?.number).toBe(head.number - 4n);
  });

  it.each(lies)('are believed although one of three %s', async (_, asked, lie) => {
    const truth = await questions[asked]();
    known<unknown>(truth);
    for (const liar of fronts) {
      liar.lies = [lie];
      nodes = nodesOf(fronts, 2);
      expect(await questions[asked]()).toEqual(truth);
      liar.repent();
    }
  });

  it.each(lies)('are not believed where one of two %s', async (_, asked, lie) => {
    for (const pair of [fronts.slice(0, 2), fronts.slice(0, 2).reverse()]) {
      nodes = nodesOf(pair, 2);
      const [liar] = fronts;
      if (liar !== undefined) liar.lies = [lie];
      expect((await questions[asked]()).state).toBe('unknown');
    }
  });

  it('say nothing where all there is contradicts the block that was named', async () => {
    const [liar] = fronts;
    const lie = lies.find(([what]) => what === 'has it in another block');
    if (liar !== undefined && lie !== undefined) liar.lies = [lie[2]];
    nodes = nodesOf(fronts.slice(0, 1), 1);
    expect(await questions.receipt()).toMatchObject({ state: 'unknown', said: [{ said: 'a receipt of another block' }] });
  });

  it('say that they disagree, and which of them said what', async () => {
    const [liar] = fronts;
    if (liar !== undefined) liar.lies = [lieAbout('eth_getTransactionReceipt', () => null)];
    let counted = 0;
    const urls = fronts.slice(0, 2).map(({ url }) => new RpcUrl({ url, outbound, clock, timeoutMs: 30_000 }));
    nodes = new Nodes({ urls, quorum: 2, onDisagreement: () => (counted += 1) });
    const answer = await questions.receipt();
    expect([answer, counted]).toMatchObject([{ state: 'unknown', reason: 'rpc_disagreement' }, 1]);
    if (answer.state === 'unknown')
      expect(answer.said.map(({ host }) => host)).toEqual(fronts.slice(0, 2).map(({ url }) => new URL(url).host));
  });

  it.each(Object.keys(questions) as Asked[])('know nothing of %s while two of three fail, and all a moment after', async (asked) => {
    const truth = await questions[asked]();
    nodes = nodesOf(fronts, 2);
    for (const dead of fronts.slice(0, 2)) dead.raw = { status: 503, body: '' };
    expect(await questions[asked]()).toMatchObject({ state: 'unknown', reason: 'rpc_unavailable' });
    fronts[0]?.repent();
    expect((await questions[asked]()).state).toBe('unknown');
    nowMs += 2_000;
    expect(await questions[asked]()).toEqual(truth);
  });

  it('ask the third only where two do not suffice', async () => {
    const before = fronts.map(({ asked }) => asked.length);
    await questions.receipt();
    expect(fronts.map(({ asked }, i) => asked.length - (before[i] ?? 0))).toEqual([3, 3, 0]);
  });

  it('hear of gas the highest that two want, and of the tip the one in the middle', async () => {
    const call = { from: payer, to: chain.token, data: transferData(payee, 1n) };
    const [taken, refused] = await nodes.gasOf([call, { ...call, data: transferData(payee, 10n ** 18n) }]);
    expect(taken).toEqual({ gas: expect.any(BigInt) });
    expect((taken as { gas: bigint }).gas).toBeGreaterThan(21_000n);
    expect(refused).toEqual({ reverted: 'ERC20: transfer amount exceeds balance' });
    const [liar] = fronts as [LyingNode];
    for (const lie of ['0x5208', '0xffffffffffffffff']) {
      liar.lies = [lieAbout('eth_estimateGas', () => lie)];
      expect(await nodes.gasOf([call])).toEqual([taken]);
    }
    liar.repent();
    const head = known(await nodes.head());
    const fees = known(await nodes.fees(head));
    expect(fees.baseFee).toBe(head.baseFee);
    liar.lies = [lieAbout('eth_maxPriorityFeePerGas', () => '0xffffffffffff')];
    expect(known(await nodes.fees(head))).toEqual(fees);
  });

  it('say why a contract reverts', async () => {
    const answer = await nodes.call(at, { from: payer, to: chain.token, data: transferData(payee, 10n ** 18n) });
    expect(known(answer)).toEqual({ reverted: 'ERC20: transfer amount exceeds balance' });
  });

  it('know nothing of a block that is not in the chain any more', async () => {
    const lost = await pay(1n);
    const block = known(await nodes.head());
    expect(known(await nodes.receipt(lost, block))).not.toBeNull();
    await chain.ask('anvil_reorg', 1, []);
    expect((await nodes.receipt(lost, block)).state).toBe('unknown');
    expect((await nodes.logsOf(block, filter)).state).toBe('unknown');
    expect((await nodes.logsUpTo(block, 1n, filter)).state).toBe('unknown');
    expect((await nodes.gasMoney(payer, block)).state).toBe('unknown');
    const now = known(await nodes.head());
    expect(now.hash).not.toBe(block.hash);
    expect(known(await nodes.receipt(lost, now))).toBeNull();
  });

  it('need as many URLs as must agree', () => {
    expect(() => nodesOf(fronts, 4)).toThrow(/quorum of 4/);
    expect(() => nodesOf([], 1)).toThrow(/quorum of 1/);
  });
});
