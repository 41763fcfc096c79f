// Callers who pay at the paid door by MPP: by hand, and with the official client, which is not ours.
import canonicalize from 'canonicalize';
import { Credential, Method, PaymentRequest } from 'mppx';
import { Mppx } from 'mppx/client';
import { assets, Types } from 'mppx/evm';
import { charge as evmCharge } from 'mppx/evm/client';
import type { PrivateKeyAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { z } from 'zod/mini';
import { type Challenge, printCredential, readChallenges } from '../../src/contexts/mpp/challenge.js';
import { sign } from '../contexts/agents/identity.js';
import type { Answer, Client, Json } from '../harness.js';
import type { Buyer } from './x402.js';

/** What an agent signs: the challenge as it was sent, without its description, and the wallet that pays. */
function signatureOf({ privateKey, wallet }: Buyer, { description: _, ...bound }: Challenge): string {
  return sign(canonicalize({ challenge: bound, payer_wallet: wallet.id }) ?? '', privateKey);
}

/** The Authorization header that answers a challenge of the method `ledger`; `changes` replace members of what is sent. */
export function answerTo(buyer: Buyer, challenge: Challenge, changes: Json = {}): string {
  const payload = { payer_wallet: buyer.wallet.id, signature: signatureOf(buyer, challenge), ...changes.payload };
  return printCredential({ challenge: { ...challenge, ...changes.challenge }, payload, ...(changes.source && { source: changes.source }) });
}

/** A paidRequest at the paid door, with a body where one is given. */
export function paidRequest(client: Client, { id }: Json, authorization?: string, body?: object): Promise<Answer> {
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  return client.call(body === undefined ? 'GET' : 'POST', `/x402/${id}`, { as: null, headers, body });
}

/** The challenges of a 402, by method. */
export function challengesIn({ headers }: Answer): Record<string, Challenge> {
  return Object.fromEntries(readChallenges(headers.get('www-authenticate') ?? '').map((challenge) => [challenge.method, challenge]));
}

/** The challenge of the method `ledger` that an endpoint gives now. */
export async function ledgerChallenge(client: Client, endpoint: Json, body?: object): Promise<Challenge> {
  return challengesIn(await paidRequest(client, endpoint, undefined, body))['ledger'] as Challenge;
}

const ledgerCharge = Method.from({
  name: 'ledger',
  intent: 'charge',
  schema: {
    credential: { payload: z.object({ payer_wallet: z.string(), signature: z.string() }) },
    request: z.looseObject({ amount: z.string(), currency: z.string(), recipient: z.string() }),
  },
});

/** The official client, which pays as an agent from its wallet here; `send` is what it fetches with. */
export function ledgerClient(buyer: Buyer, send: typeof fetch = fetch) {
  const method = Method.toClient(ledgerCharge, {
    async createCredential({ challenge }) {
      const sent = { ...challenge, request: PaymentRequest.serialize(challenge.request) } as Challenge;
      const payload = { payer_wallet: buyer.wallet.id, signature: signatureOf(buyer, sent) };
      return Credential.serialize(Credential.from({ challenge, payload, source: buyer.id }));
    },
  });
  return Mppx.create({ methods: [method], polyfill: false, fetch: send });
}

/** The official client with its own method, which pays from an address of the chain. */
export function evmClient(account: PrivateKeyAccount) {
  return Mppx.create({ methods: [evmCharge({ account, currencies: [assets.baseSepolia.USDC] })], polyfill: false });
}

/** A credential of the method `evm` by hand; `changes` are signed, `forged` is not. */
export async function evmCredential(
  account: PrivateKeyAccount,
  challenge: Challenge,
  changes: Json = {},
  forged: Json = {},
): Promise<string> {
  const { type = 'authorization', ...signedChanges } = changes;
  const request = PaymentRequest.deserialize(challenge.request) as Json;
  const message = {
    from: account.address,
    to: request.recipient,
    value: request.amount,
    validAfter: '0',
    validBefore: String(Math.floor(new Date(challenge.expires ?? '').getTime() / 1000)),
    nonce: Types.challengeHash(challenge),
    ...signedChanges,
  };
  const { chainId } = request.methodDetails;
  const signature = await account.signTypedData({
    domain: Types.authorizationDomain({ authorization: { name: 'USDC', version: '2' }, chainId, currency: request.currency }),
    types: Types.authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  return printCredential({ challenge, payload: { type, ...message, signature, ...forged } });
}

/** Where the types of problems begin. */
export const problems = 'https://paymentauth.org/problems/';

/** A 402 with its problem, a fresh challenge, and no receipt. */
export function expectProblem(answer: Answer, type: string, more: Json = {}): void {
  expect([answer.status, answer.body], JSON.stringify(answer.body)).toMatchObject([402, { type: problems + type, status: 402, ...more }]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('payment-receipt')).toBeNull();
  expect(answer.headers.get('payment-required')).toEqual(expect.any(String));
  expect(challengesIn(answer)['ledger']).toMatchObject({ intent: 'charge' });
}
