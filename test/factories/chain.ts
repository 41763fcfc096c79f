// Payers on the simulated chain: they sign with the official client of x402, which is not ours.
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Client, Json } from '../harness.js';

export const chainName = 'eip155:84532';

/** Somebody with an address, and tokens on it. */
export async function newPayer(client: Client, { funded = '10.00' } = {}): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  await client.make('/v1/test/chain/fund', { address: account.address, amount: funded });
  return account;
}

/** A payload of version 2 for an offer, as the official client signs it. */
export async function signed(payer: PrivateKeyAccount, offer: Json): Promise<Json> {
  const made = await new ExactEvmScheme(payer).createPaymentPayload(2, offer);
  return { ...made, x402Version: 2, accepted: offer };
}

/** The same in version 1. */
export async function signedV1(payer: PrivateKeyAccount, offer: Json): Promise<Json> {
  return new ExactEvmSchemeV1(payer).createPaymentPayload(1, offer);
}

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** A payload of version 2 whose authorization says what `changes` say, signed as it stands; viem signs what no honest client would. */
export async function signedAs(payer: PrivateKeyAccount, offer: Json, changes: Json = {}): Promise<Json> {
  const authorization = { ...(await signed(payer, offer)).payload.authorization, ...changes };
  const domain = { ...offer.extra, chainId: 84_532, verifyingContract: offer.asset };
  const signature = await payer.signTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message: authorization });
  return { x402Version: 2, accepted: offer, payload: { signature, authorization } };
}

/** What an address of the simulated chain has. */
export async function chainBalance(client: Client, address: string): Promise<string> {
  return (await client.get(`/v1/test/chain/${address}`)).body.data.balance;
}
