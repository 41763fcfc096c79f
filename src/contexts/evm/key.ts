// Who signs: a secret of a keystore in this process, or a signer of the operator's that speaks JSON-RPC. What a remote signer returns is
// decoded and held against what was asked, member by member: it may refuse, but it cannot make us send something else.
import type { ChainAddress } from '../x402/chain/address.js';
import { authorizationDigest, signerOf, type TokenDomain, type TransferAuthorization } from '../x402/chain/transfer-authorization.js';
import {
  addressOfKey,
  decodeTransaction,
  type Hex,
  type SignedTransaction,
  signAuthorization,
  signatureParts,
  signTransaction,
  type Transaction,
} from './evm.js';
import type { RpcAnswer, RpcUrl } from './rpc.js';

/** Something that signs as one address. Both throw SignerRefused, and RpcFailure where a remote signer gives no answer. */
export interface Key {
  readonly address: ChainAddress;
  /** Where it is, in words: `keystore`, or the host of the signer. */
  readonly place: string;
  /** Signs a transaction of its own address. */
  signTransaction(transaction: Transaction): Promise<SignedTransaction>;
  /** Signs an authorization of its own address: 65 bytes, r, s and v (27 or 28). */
  signAuthorization(domain: TokenDomain, authorization: TransferAuthorization): Promise<Hex>;
}

/** A signer that refused, or returned something else than what it was asked for: then nothing of it is used. */
export class SignerRefused extends Error {
  readonly reason: 'refused' | 'wrong_answer';

  constructor(reason: SignerRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The key of a secret that was read from a keystore. The secret is in nothing that this object shows. */
export function localKey(privateKey: Uint8Array): Key {
  const address = addressOfKey(privateKey);
  return {
    address,
    place: 'keystore',
    signTransaction: async (transaction) => signTransaction(transaction, privateKey),
    async signAuthorization(domain, authorization) {
      refuseForeign(address, authorization);
      return signAuthorization(domain, authorization, privateKey);
    },
  };
}

function refuseForeign(address: ChainAddress, { from }: TransferAuthorization): void {
  if (from !== address) throw new SignerRefused('refused', 'the authorization is of another address than the key');
}

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;

/** The key of an address that a remote signer holds. */
export function remoteKey(rpc: Pick<RpcUrl, 'ask' | 'host'>, address: ChainAddress): Key {
  const place = rpc.host;
  const wrong = (said: string) => new SignerRefused('wrong_answer', `${place}: ${said}`);
  return {
    address,
    place,
    async signTransaction(transaction) {
      const signed = rawOf(resultOf(place, await rpc.ask('eth_signTransaction', [transactionArgument(address, transaction)])));
      const decoded = signed === null ? null : decodeTransaction(signed);
      if (decoded === null) throw wrong('what it returned is no signed transaction of EIP-1559');
      if (decoded.sender !== address) throw wrong('it signed with the key of another address');
      const changed = members.find((member) => decoded[member] !== transaction[member]);
      if (changed !== undefined) throw wrong(`it signed another ${changed} than it was asked for`);
      return { raw: decoded.raw, hash: decoded.hash };
    },
    async signAuthorization(domain, authorization) {
      refuseForeign(address, authorization);
      const result = resultOf(place, await askTyped(rpc, address, typedData(domain, authorization)));
      const parts = typeof result === 'string' ? signatureParts(result) : null;
      if (parts === null) throw wrong('what it returned is no signature of 65 bytes');
      const signature: Hex = `${parts.r}${parts.s.slice(2)}${parts.v.toString(16)}`;
      // Of another address, of other data, or with the higher s: all are another signer, or none.
      if (signerOf(authorizationDigest(domain, authorization), signature) !== address)
        throw wrong('its signature is not one of the address for what it was asked to sign');
      return signature;
    },
  };
}

const members = ['chainId', 'nonce', 'maxFeePerGas', 'maxPriorityFeePerGas', 'gasLimit', 'to', 'value', 'data'] as const;

function transactionArgument(from: ChainAddress, { gasLimit, to, data, ...numbers }: Transaction): Record<string, string> {
  const fees = { maxFeePerGas: quantity(numbers.maxFeePerGas), maxPriorityFeePerGas: quantity(numbers.maxPriorityFeePerGas) };
  const place = { chainId: quantity(numbers.chainId), nonce: quantity(numbers.nonce) };
  return { type: '0x2', from, to, gas: quantity(gasLimit), value: quantity(numbers.value), data, ...fees, ...place };
}

/** Some return the bytes, and geth an object that has them. */
function rawOf(result: unknown): string | null {
  const raw = typeof result === 'object' && result !== null && 'raw' in result ? result.raw : result;
  return typeof raw === 'string' ? raw : null;
}

function resultOf(place: string, answer: RpcAnswer): unknown {
  if ('result' in answer) return answer.result;
  throw new SignerRefused('refused', `${place}: it refuses with ${answer.refused.code}: ${answer.refused.message}`);
}

const unknownMethod = -32601;
const badParameters = -32602;

/** Not every signer knows the name with v4, and some want the data as a text. */
async function askTyped(rpc: Pick<RpcUrl, 'ask'>, address: ChainAddress, data: object): Promise<RpcAnswer> {
  const refusedWith = (answer: RpcAnswer, code: number) => 'refused' in answer && answer.refused.code === code;
  const askAs = async (method: string) => {
    const answer = await rpc.ask(method, [address, data]);
    return refusedWith(answer, badParameters) ? rpc.ask(method, [address, JSON.stringify(data)]) : answer;
  };
  const answer = await askAs('eth_signTypedData_v4');
  return refusedWith(answer, unknownMethod) ? askAs('eth_signTypedData') : answer;
}

const fields = (...all: readonly (readonly [type: string, name: string])[]) => all.map(([type, name]) => ({ name, type }));

const types = {
  EIP712Domain: fields(['string', 'name'], ['string', 'version'], ['uint256', 'chainId'], ['address', 'verifyingContract']),
  TransferWithAuthorization: fields(
    ['address', 'from'],
    ['address', 'to'],
    ['uint256', 'value'],
    ['uint256', 'validAfter'],
    ['uint256', 'validBefore'],
    ['bytes32', 'nonce'],
  ),
};

/** Numbers are decimal texts, which all signers read; JSON has no number so large. */
function typedData({ chainId, ...domain }: TokenDomain, { value, validAfter, validBefore, ...message }: TransferAuthorization): object {
  return {
    types,
    primaryType: 'TransferWithAuthorization',
    domain: { ...domain, chainId: chainId.toString() },
    message: { ...message, value: value.toString(), validAfter: validAfter.toString(), validBefore: validBefore.toString() },
  };
}
