// Keys: of a keystore, and of a remote signer, which is a real one here and one that returns something else than it was asked for.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addressOfKey, bytesOf, type Hex, signAuthorization, signTransaction, type Transaction } from '../../../src/contexts/evm/evm.js';
import { type Key, localKey, remoteKey, SignerRefused } from '../../../src/contexts/evm/key.js';
import { RpcUrl } from '../../../src/contexts/evm/rpc.js';
import { systemClock } from '../../../src/platform/clock.js';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { Anvil, hasAnvil, withAnvil } from '../../chain/anvil.js';
import { type Lie, LyingNode, lieAbout } from '../../chain/lying-node.js';

/** The first account of Anvil, whose key it has. */
const secret = bytesOf('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const address = addressOfKey(secret);
const stranger = bytesOf(`0x${'11'.repeat(32)}`);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const transaction: Transaction = {
  chainId: 84_532n,
  nonce: 5n,
  maxFeePerGas: 3n * 10n ** 9n,
  maxPriorityFeePerGas: 10n ** 9n,
  gasLimit: 120_000n,
  to: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  value: 0n,
  data: '0xcf0929950001',
};
const domain = { name: 'USDC', version: '2', chainId: 84_532n, verifyingContract: transaction.to };
const authorization = {
  from: address,
  to: addressOfKey(stranger),
  value: 2n ** 60n,
  validAfter: 0n,
  validBefore: 1_900_000_000n,
  nonce: `0x${'07'.repeat(32)}` as Hex,
};

describe('a key of a keystore', () => {
  const key = localKey(secret);

  it('signs as its address, and shows nothing of its secret', async () => {
    expect(key.address).toBe(address);
    expect(await key.signTransaction(transaction)).toEqual(signTransaction(transaction, secret));
    expect(await key.signAuthorization(domain, authorization)).toBe(signAuthorization(domain, authorization, secret));
    expect(JSON.stringify(key)).not.toContain('ac0974');
  });

  it('signs no authorization of another address', () =>
    expect(key.signAuthorization(domain, { ...authorization, from: authorization.to })).rejects.toBeInstanceOf(SignerRefused));
});

const outbound = new Outbound({ allowHosts: [] });
let chain: Anvil | undefined;
let front: LyingNode;
let key: Key;
beforeAll(async () => {
  chain = hasAnvil ? await Anvil.start() : undefined;
  front = await LyingNode.open(chain?.url);
  key = remoteKey(new RpcUrl({ url: front.url, outbound, clock: systemClock }), address);
});
afterEach(() => front.repent());
afterAll(async () => {
  await front.close();
  await chain?.stop();
  await outbound.close();
});

describe.runIf(hasAnvil)(`a key of a remote signer${withAnvil}`, () => {
  it('returns the bytes that the key itself would', async () => {
    expect(await key.signTransaction(transaction)).toEqual(signTransaction(transaction, secret));
    expect(await key.signTransaction({ ...transaction, data: '0x', nonce: 0n })).toEqual(
      signTransaction({ ...transaction, data: '0x', nonce: 0n }, secret),
    );
    expect(await key.signAuthorization(domain, authorization)).toBe(signAuthorization(domain, authorization, secret));
  });

  it('is refused by a signer that has not the key', async () => {
    const other = remoteKey(new RpcUrl({ url: front.url, outbound, clock: systemClock }), authorization.to);
    await expect(other.signTransaction(transaction)).rejects.toMatchObject({ reason: 'refused' });
  });

  const unknown = { error: { code: -32601, message: 'the method does not exist' } };
  const refuseV4: Lie = ({ method }) => (method === 'eth_signTypedData_v4' ? unknown : undefined);

  it('is asked by the older name where the newer is not known', async () => {
    front.lies = [refuseV4, ({ method }) => (method === 'eth_signTypedData' ? { result: signed } : undefined)];
    const signed = signAuthorization(domain, authorization, secret);
    expect(await key.signAuthorization(domain, authorization)).toBe(signed);
  });

  it('is given the data as a text where an object is refused', async () => {
    const bad = { error: { code: -32602, message: 'invalid argument 1' } };
    front.lies = [({ method, params }) => (method === 'eth_signTypedData_v4' && typeof params[1] !== 'string' ? bad : undefined)];
    expect(await key.signAuthorization(domain, authorization)).toBe(signAuthorization(domain, authorization, secret));
  });
});

const typed = (result: unknown) => lieAbout('eth_signTypedData_v4', () => result);
const sent = (result: unknown) => lieAbout('eth_signTransaction', () => result);
const right = signAuthorization(domain, authorization, secret);
const changed = (change: Partial<Transaction>) => sent(signTransaction({ ...transaction, ...change }, secret).raw);

describe.runIf(hasAnvil)(`a remote signer that returns something else${withAnvil}`, () => {
  it.each<[string, Lie]>([
    ['the key of another', sent(signTransaction(transaction, stranger).raw)],
    ['another chain', changed({ chainId: 1n })],
    ['another nonce', changed({ nonce: 6n })],
    ['a higher fee', changed({ maxFeePerGas: 10n ** 12n })],
    ['a higher tip', changed({ maxPriorityFeePerGas: 2n * 10n ** 9n })],
    ['more gas', changed({ gasLimit: 120_001n })],
    ['another recipient', changed({ to: authorization.to })],
    ['a value', changed({ value: 1n })],
    ['other data', changed({ data: '0xcf0929950002' })],
    ['no transaction', sent('0x')],
    ['a hash', sent(`0x${'ab'.repeat(32)}`)],
    ['null', sent(null)],
    ['an object without bytes', sent({ tx: {} })],
  ])('for a transaction: %s', async (_, lie) => {
    front.lies = [lie];
    await expect(key.signTransaction(transaction)).rejects.toMatchObject({ reason: 'wrong_answer' });
  });

  it('as geth returns it is none', async () => {
    front.lies = [sent({ raw: signTransaction(transaction, secret).raw, tx: {} })];
    expect(await key.signTransaction(transaction)).toEqual(signTransaction(transaction, secret));
  });

  const s = BigInt(`0x${right.slice(66, 130)}`);
  const flipped = right.endsWith('1b') ? '1c' : '1b';
  it.each<[string, unknown]>([
    ['the key of another', signAuthorization(domain, authorization, stranger)],
    ['another amount', signAuthorization(domain, { ...authorization, value: 1n }, secret)],
    ['another chain', signAuthorization({ ...domain, chainId: 1n }, authorization, secret)],
    ['the higher s', `${right.slice(0, 66)}${(order - s).toString(16).padStart(64, '0')}${flipped}`],
    ['the other parity', `${right.slice(0, 130)}${flipped}`],
    ['64 bytes', right.slice(0, 130)],
    ['more bytes', `${right}00`],
    ['null', null],
    ['an object', { signature: right }],
  ])('for an authorization: %s', async (_, result) => {
    front.lies = [typed(result)];
    await expect(key.signAuthorization(domain, authorization)).rejects.toMatchObject({ reason: 'wrong_answer' });
  });

  it.each(['00', '01'])('with v of %s is none', async (v) => {
    const mine = Number(v) + 27 === Number.parseInt(right.slice(130), 16);
    front.lies = [typed(`${right.slice(0, 130)}${v}`)];
    const asked = key.signAuthorization(domain, authorization);
    if (mine) expect(await asked).toBe(right);
    else await expect(asked).rejects.toMatchObject({ reason: 'wrong_answer' });
  });
});
