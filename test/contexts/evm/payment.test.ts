// A payment by authorization, with our own bytes on a real chain: whoever carries it how often, it is paid once.
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Block, Receipt } from '../../../src/contexts/evm/chain-data.js';
import { addressOfKey, hexOf, keccak, payoutNonce, type SignedTransaction, signatureParts } from '../../../src/contexts/evm/evm.js';
import { type Key, localKey } from '../../../src/contexts/evm/key.js';
import { Nodes } from '../../../src/contexts/evm/nodes.js';
import type { Known } from '../../../src/contexts/evm/quorum.js';
import { RpcUrl } from '../../../src/contexts/evm/rpc.js';
import {
  addressTopic,
  authorizationStateCall,
  balanceCall,
  cancelByParts,
  cancelBySignature,
  domainSeparator,
  factCalls,
  readFlag,
  readText,
  readTokenLog,
  readUint,
  readWord,
  refusalOf,
  topics,
  transferByParts,
  transferBySignature,
} from '../../../src/contexts/evm/token.js';
import { systemClock } from '../../../src/platform/clock.js';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { Anvil, type Hex, hasAnvil, withAnvil } from '../../chain/anvil.js';

const outbound = new Outbound({ allowHosts: [] });
const newKey = () => localKey(randomBytes(32));
const treasury = newKey();
const relayer = newKey();
const stranger = newKey();
const gas = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, gasLimit: 200_000n, value: 0n };

let chain: Anvil;
let nodes: Nodes;
let nowSeconds: bigint;
beforeAll(async () => {
  if (!hasAnvil) return;
  chain = await Anvil.start({ chainId: 8_453, args: ['--no-mining'] });
  nodes = new Nodes({ urls: [new RpcUrl({ url: chain.url, outbound, clock: systemClock })], quorum: 1 });
  await chain.setMoney(treasury.address, 1_000_000n);
  for (const { address } of [relayer, stranger]) await chain.fund(address);
  nowSeconds = (await head()).timestamp;
});
afterAll(async () => {
  await chain?.stop();
  await outbound.close();
});

function known<T>(answer: Known<T>): T {
  if (answer.state === 'unknown') throw new Error(`${answer.reason} ${JSON.stringify(answer.said)}`);
  return answer.value;
}
const head = async () => known(await nodes.head());
const domain = () => ({ name: 'USD Coin', version: '2', chainId: 8_453n, verifyingContract: chain.token });

/** An authorization of the treasury, as the data of a transaction that carries it. */
async function attempt(nonce: Hex, to: Hex, validBefore: bigint, { value = 250_000n, byParts = false } = {}): Promise<Hex> {
  const authorization = { from: treasury.address, to, value, validAfter: 0n, validBefore, nonce };
  const signature = await treasury.signAuthorization(domain(), authorization);
  const parts = signatureParts(signature);
  return byParts && parts !== null ? transferByParts(authorization, parts) : transferBySignature(authorization, signature);
}

async function carry(key: Key, data: Hex, nonce: bigint): Promise<SignedTransaction> {
  const signed = await key.signTransaction({ ...gas, chainId: 8_453n, nonce, to: chain.token, data });
  expect((await nodes.send([signed]))[0]?.state).toBe('accepted');
  return signed;
}

const nonceOf = async ({ address }: Key, block: Block) => known(await nodes.nonce(address, block));
const money = async (address: Hex, at: Block) => {
  const answer = known(await nodes.call(at, { to: chain.token, data: balanceCall(address) }));
  return 'data' in answer ? readUint(answer.data) : null;
};
const isUsed = async (nonce: Hex, at: Block) => {
  const answer = known(await nodes.call(at, { to: chain.token, data: authorizationStateCall(treasury.address, nonce) }));
  return 'data' in answer ? readFlag(answer.data) : null;
};

describe.runIf(hasAnvil)(`a payment by authorization${withAnvil}`, () => {
  it('is to a token that is the one that is signed for', async () => {
    const block = await head();
    const ask = async (data: Hex) => {
      const answer = known(await nodes.call(block, { to: chain.token, data }));
      return 'data' in answer ? answer.data : '0x';
    };
    expect(readText(await ask(factCalls.name))).toBe('USD Coin');
    expect(readText(await ask(factCalls.version))).toBe('2');
    expect(readUint(await ask(factCalls.decimals))).toBe(6n);
    expect(readWord(await ask(factCalls.domainSeparator))).toBe(domainSeparator(domain()));
  });

  it('of two attempts and a stranger who carries the first, all in one block, is paid once', async () => {
    const nonce = payoutNonce(v7(), v7());
    const payee = addressOfKey(randomBytes(32));
    const before = await head();
    const first = await attempt(nonce, payee, nowSeconds + 600n);
    const second = await attempt(nonce, payee, nowSeconds + 1_200n, { byParts: true });
    expect(first).not.toBe(second);
    const theirs = await nonceOf(stranger, before);
    const ours = await nonceOf(relayer, before);
    const sent = [await carry(relayer, first, ours), await carry(relayer, second, ours + 1n), await carry(stranger, first, theirs)];
    await chain.mine();
    const at = await head();
    const receipts: (Receipt | null)[] = [];
    for (const { hash } of sent) receipts.push(known(await nodes.receipt(hash, at)));
    expect(receipts.map((receipt) => receipt?.blockHash)).toEqual([at.hash, at.hash, at.hash]);
    expect(receipts.filter((receipt) => receipt?.isReverted === false)).toHaveLength(1);
    expect(await money(payee, at)).toBe(250_000n);
    expect(await money(treasury.address, at)).toBe(((await money(treasury.address, before)) ?? 0n) - 250_000n);
    expect([await isUsed(nonce, before), await isUsed(nonce, at)]).toEqual([false, true]);
    const events = [topics.transfer, topics.authorizationUsed, topics.authorizationCanceled];
    const logs = known(await nodes.logsOf(at, { addresses: [chain.token], topics: [events] }));
    expect(logs.map((log) => readTokenLog(chain.token, log))).toEqual([
      { kind: 'used', authorizer: treasury.address, nonce },
      { kind: 'transfer', from: treasury.address, to: payee, value: 250_000n },
    ]);
    const carrier = receipts.find((receipt) => receipt?.transactionHash === logs[0]?.transactionHash);
    expect([relayer.address, stranger.address]).toContain(carrier?.from);
  });

  it('is refused beforehand, with a reason, where it would be', async () => {
    const block = await head();
    const payee = addressOfKey(randomBytes(32));
    const fresh = () => hexOf(randomBytes(32));
    const simulate = async (data: Hex) => {
      const answer = known(await nodes.call(block, { to: chain.token, data, from: relayer.address }));
      return 'reverted' in answer ? refusalOf(answer.reverted) : 'carried';
    };
    const good = await attempt(fresh(), payee, nowSeconds + 600n);
    expect(await simulate(good)).toBe('carried');
    expect(await simulate(await attempt(fresh(), payee, nowSeconds + 600n, { byParts: true }))).toBe('carried');
    expect(await simulate(await attempt(fresh(), payee, nowSeconds - 1n))).toBe('authorization_expired');
    expect(await simulate(await attempt(fresh(), payee, nowSeconds + 600n, { value: 10n ** 12n }))).toBe('balance');
    expect(await simulate(good.replace('3d090', '3d091') as Hex)).toBe('invalid_signature');
  });

  it('is refused by a token that is paused, by blocked parties, and before its time', async () => {
    const payee = addressOfKey(randomBytes(32));
    const [anybody] = await chain.ask('eth_accounts');
    const set = async (data: string) => {
      await chain.ask('eth_sendTransaction', { from: anybody, to: chain.token, data });
      await chain.mine();
    };
    const refusal = async (data: Hex) => {
      const answer = known(await nodes.call(await head(), { to: chain.token, data, from: relayer.address }));
      return 'reverted' in answer ? refusalOf(answer.reverted) : 'carried';
    };
    const words = (...values: (Hex | bigint)[]) => values.map((value) => BigInt(value).toString(16).padStart(64, '0')).join('');
    const good = await attempt(hexOf(randomBytes(32)), payee, nowSeconds + 6_000n);
    for (const [method, args, meaning] of [
      ['pause(bool)', [], 'token_paused'],
      ['blacklist(address,bool)', [payee], 'address_blocked'],
      ['blacklist(address,bool)', [treasury.address], 'address_blocked'],
    ] as const) {
      const selector = keccak(Buffer.from(method)).slice(0, 10);
      await set(`${selector}${words(...args, 1n)}`);
      expect(await refusal(good)).toBe(meaning);
      await set(`${selector}${words(...args, 0n)}`);
      expect(await refusal(good)).toBe('carried');
    }
    const early = { from: treasury.address, to: payee, value: 1n, validAfter: nowSeconds + 6_000n, validBefore: nowSeconds + 7_000n };
    const authorization = { ...early, nonce: hexOf(randomBytes(32)) };
    expect(await refusal(transferBySignature(authorization, await treasury.signAuthorization(domain(), authorization)))).toBe(
      'authorization_early',
    );
  });

  it('is used up by a cancellation, which the log tells from a payment', async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const authorizer = owner.address.toLowerCase() as Hex;
    const sign = (nonce: Hex) =>
      owner.signTypedData({
        domain: domain(),
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer, nonce },
      });
    const nonces = [hexOf(randomBytes(32)), hexOf(randomBytes(32))] as const;
    const parts = signatureParts(await sign(nonces[1]));
    if (parts === null) throw new Error('no signature');
    const first = await nonceOf(stranger, await head());
    await carry(stranger, cancelBySignature(authorizer, nonces[0], await sign(nonces[0])), first);
    await carry(stranger, cancelByParts(authorizer, nonces[1], parts), first + 1n);
    await chain.mine();
    const at = await head();
    const filter = { addresses: [chain.token], topics: [topics.authorizationCanceled, addressTopic(authorizer)] };
    expect(known(await nodes.logsOf(at, filter)).map((log) => readTokenLog(chain.token, log))).toEqual(
      nonces.map((nonce) => ({ kind: 'cancelled', authorizer, nonce })),
    );
  });

  it('is sent again without harm, and what the node says to it is understood', async () => {
    const before = await head();
    const nonce = await nonceOf(relayer, before);
    const data = await attempt(hexOf(randomBytes(32)), addressOfKey(randomBytes(32)), nowSeconds + 600n);
    const sent = await carry(relayer, data, nonce);
    expect((await nodes.send([sent]))[0]?.state).toBe('known');
    const send = async (change: Partial<Parameters<Key['signTransaction']>[0]>, key = relayer) => {
      const { raw, hash } = await key.signTransaction({ ...gas, chainId: 8_453n, nonce, to: chain.token, data, ...change });
      return (await nodes.send([{ raw, hash }]))[0]?.state;
    };
    expect(await send({ maxFeePerGas: gas.maxFeePerGas - 1n })).toBe('underpriced');
    expect(await send({ maxFeePerGas: 1n, maxPriorityFeePerGas: 0n, nonce: nonce + 1n })).toBe('underpriced');
    expect(await send({ nonce: 0n }, newKey())).toBe('no_gas');
    await chain.mine();
    expect(await send({ maxFeePerGas: gas.maxFeePerGas + 2n })).toBe('nonce_used');
    expect(known(await nodes.receipt(sent.hash, await head()))?.isReverted).toBe(false);
  });
});
