// Calls that are paid: by x402 on the ledger network, and by vouchers of an MPP session, beside transfers of the same agents to the same
// wallets; and what CPU it takes to find the signer of a payment from a chain.
import { createHash } from 'node:crypto';
import { type ChainAddress, parseAddress } from '../src/contexts/x402/chain/address.js';
import { authorizationDigest, signerOf, type TransferAuthorization } from '../src/contexts/x402/chain/transfer-authorization.js';
import { type Holder, inTurn, makeHolders, transferOf } from './holder.js';
import { postRequest, type Series } from './measure.js';
import { median, type Sandbox } from './platform.js';

export const x402: Series = {
  name: 'x402',
  aim: 0.5,
  async open(sandbox) {
    const { url } = sandbox;
    const all = await makeHolders(sandbox);
    const endpoints = new Map(await Promise.all(all.map(async (holder) => [holder, await endpointOf(sandbox, holder)] as const)));
    return {
      ours: inTurn(all, (holder, key) => {
        const { agent, wallet } = holder;
        const body = `{"from_wallet_id":"${wallet}","endpoint_id":"${endpoints.get(holder)}","agent_id":"${agent}"}`;
        return postRequest(url, '/v1/x402/pay', body, key);
      }),
      transfers: inTurn(all, (holder, key) => transferOf(url, holder, key)),
    };
  },
};

/** An endpoint that costs a cent and pays the wallet of the holder's merchant. */
async function endpointOf(sandbox: Sandbox, { payee, settlement }: Holder): Promise<string> {
  const price = { base_price: '0.01', currency: 'USD' };
  const body = { name: 'Call', path: '/call', method: 'GET', account_id: payee, receiver_wallet_id: settlement, ...price };
  return (await sandbox.make<{ data: { id: string } }>('/v1/x402/endpoints', body)).data.id;
}

/** Enough for every voucher of a run. */
const deposit = '1000.00';

export const vouchers: Series = {
  name: 'vouchers',
  aim: 0.7,
  async open(sandbox) {
    const { url } = sandbox;
    const all = await makeHolders(sandbox);
    const sessions = new Map(await Promise.all(all.map(async (holder) => [holder, await sessionOf(sandbox, holder)] as const)));
    return {
      ours: inTurn(all, (holder, key) => postRequest(url, `/v1/mpp/sessions/${sessions.get(holder)}/vouchers`, '{"amount":"0.01"}', key)),
      transfers: inTurn(all, (holder, key) => transferOf(url, holder, key)),
    };
  },
};

async function sessionOf(sandbox: Sandbox, { agent, wallet, settlement }: Holder): Promise<string> {
  const body = {
    service_url: 'https://api.example.com/data',
    payee_wallet_id: settlement,
    deposit_amount: deposit,
    agent_id: agent,
    wallet_id: wallet,
  };
  return (await sandbox.make<{ data: { id: string } }>('/v1/mpp/sessions', body)).data.id;
}

/** Signatures of a round, and rounds. */
const [signatures, rounds] = [500, 7];
/** The most CPU that one may take, milliseconds. */
const mostMs = 1;

/** Hashes authorizations of EIP-3009 and finds their signers, in this process: no request is a part of it. */
export function recovery(): string {
  const domain = { name: 'USDC', version: '2', chainId: 84_532n, verifyingContract: addressAt('token') };
  const all = Array.from({ length: signatures }, (_, n) => ({ authorization: authorizationAt(n), signature: signatureAt(n) }));
  const round = () => {
    const before = process.cpuUsage();
    let found = 0;
    for (const { authorization, signature } of all)
      if (signerOf(authorizationDigest(domain, authorization), signature) !== null) found += 1;
    const { user, system } = process.cpuUsage(before);
    // Half of all numbers are the abscissa of a point; one that is none is given up early, and takes no part in the figure.
    return (user + system) / 1000 / found;
  };
  round();
  const results = Array.from({ length: rounds }, round);
  return `EIP-3009, hash and recovery of the signer: ${median(results).toFixed(3)} ms of CPU (aim under ${mostMs} ms)`;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

function addressAt(text: string): ChainAddress {
  return parseAddress(`0x${hashOf(text).slice(0, 40)}`) as ChainAddress;
}

function authorizationAt(n: number): TransferAuthorization {
  return {
    from: addressAt(`from ${n}`),
    to: addressAt(`to ${n}`),
    value: BigInt(n + 1),
    validAfter: 0n,
    validBefore: 2_000_000_000n,
    nonce: `0x${hashOf(`nonce ${n}`)}`,
  };
}

/** Numbers that could be a signature: finding whose takes as long as for one that somebody has made. */
function signatureAt(n: number): string {
  return `0x${hashOf(`r ${n}`)}3${hashOf(`s ${n}`).slice(1)}1b`;
}
