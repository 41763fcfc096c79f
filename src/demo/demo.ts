// The story that the platform exists for, played against a running sandbox with every request and answer readable.
import nacl from 'tweetnacl';
import { askForMore } from './approval.js';
import { provePayment } from './evidence.js';
import { callPaidApis } from './paid-api.js';
import { lostPayout } from './payout.js';
import { type Invite, payByModel } from './people.js';
import { buyByMandate } from './purchase.js';
import { payBySecond } from './salary.js';
import { raceForTask } from './task.js';
import { Teller } from './teller.js';

export interface DemoOptions {
  /** The sandbox listener. */
  url: string;
  /** A test key. */
  key: string;
  say: (text: string) => void;
  /** Makes links by which people join the tenant; without it people take no part. */
  invite?: Invite;
}

/** Plays the story; throws at the first answer that is not the expected one. */
export async function playDemo({ url, key, say, invite }: DemoOptions): Promise<void> {
  const teller = new Teller(url, say);
  const company = `Bearer ${key}`;

  say(`\nTwo companies, one agent each, on ${url}\n`);
  const buyer = await teller.ask('A company opens an account', 'POST', '/v1/accounts', company, { type: 'business', name: 'Buyer Ltd' });
  const seller = await teller.ask('So does another', 'POST', '/v1/accounts', company, { type: 'business', name: 'Seller Ltd' });
  const wallet = { currency: 'USDC' };
  const agentBody = (parent: string, name: string) => ({ parent_account_id: parent, name, generate_keypair: true, wallet });
  const a = await teller.ask(
    'Agent A, with a key pair and a wallet',
    'POST',
    '/v1/agents',
    company,
    agentBody(buyer['data'].id, 'Agent A'),
  );
  const b = await teller.ask('Agent B, the same', 'POST', '/v1/agents', company, agentBody(seller['data'].id, 'Agent B'));
  const [agentA, walletA, walletB] = [a['data'].id, a['data'].default_wallet_id, b['data'].default_wallet_id];

  await teller.ask('The sandbox mints money for A', 'POST', `/v1/wallets/${walletA}/fund`, company, { amount: '100.00' });

  const { challenge } = await teller.ask('A asks for a challenge', 'POST', `/v1/agents/${agentA}/challenge`, null);
  const secretKey = Buffer.from(a['authKey'].privateKey, 'base64');
  const signature = Buffer.from(nacl.sign.detached(Buffer.from(challenge, 'utf8'), secretKey)).toString('base64');
  const { sessionToken } = await teller.ask('A signs it with its own key', 'POST', `/v1/agents/${agentA}/authenticate`, null, {
    challenge,
    signature,
  });
  const session = `Bearer ${sessionToken}`;

  const payment = {
    type: 'internal',
    from_wallet_id: walletA,
    to_wallet_id: walletB,
    amount: '12.50',
    currency: 'USDC',
    description: 'An API call',
  };
  const idempotency = { 'Idempotency-Key': `demo-${agentA}` };
  const paid = await teller.ask('A pays B, in its own name', 'POST', '/v1/transfers', session, payment, idempotency);
  const seen = await teller.ask('B sees the money, over GraphQL', 'POST', '/graphql', `Bearer ${b['credentials'].token}`, {
    query: 'query ($id: WalletId!) { wallet(id: $id) { balance { available } } transfers(limit: 1) { nodes { id amount status } } }',
    variables: { id: walletB },
  });
  const again = await teller.ask(
    'A sends the same request again: same key, same answer, no second payment',
    'POST',
    '/v1/transfers',
    session,
    payment,
    idempotency,
  );
  if (again['data'].id !== paid['data'].id) throw new Error('the replay paid again');
  if (seen['data'].wallet.balance.available !== '12.50') throw new Error('B did not see the money');

  await teller.ask('A tries to spend what it has not', 'POST', '/v1/transfers', session, { ...payment, amount: '500.00' }, {}, 422);
  await payBySecond(teller, company, session, { walletA, walletB, token: b['credentials'].token });
  await buyByMandate(teller, company, { account: buyer['data'].id, agent: agentA, session, seller: seller['data'].id });
  const selling = { seller: seller['data'].id, walletB, token: b['credentials'].token };
  await callPaidApis(teller, company, { agent: agentA, session, walletA, secretKey, ...selling });
  await raceForTask(teller, company, { sender: session, account: seller['data'].id, token: b['credentials'].token });
  await askForMore(teller, company, session, { agent: agentA, payment });
  if (invite !== undefined) await payByModel(teller, company, { account: buyer['data'].id, payee: walletB, invite });
  await lostPayout(teller, company, seller['data'].id);
  await provePayment(teller, company, { paymentId: paid['data'].id, seller: `Bearer ${b['credentials'].token}` });
  await expectBalanced(teller, company);
  for (const line of whatWasSeen(invite !== undefined)) say(line);
}

const whatWasSeen = (withPeople: boolean): string[] => [
  '\nA paid once, B was paid, the overdraft was refused, the trial balance is zero.',
  'A streamed B a salary, which B took out while it flowed, exact to the second.',
  'A bought two mugs from a shop by ACP, within the mandate that the company had signed.',
  'A stranger and A each met a 402 and paid the call by x402 in one round trip more; A paid a service page by page by MPP.',
  'B and C raced for a task of A: one got it, delivered what was asked, was paid out of escrow, and rated.',
  'A hit its budget, asked for approval, and paid when a person said yes.',
  withPeople
    ? 'Ada joined and let a model pay up to 20.00 a day; it paid, asked for more, and paid when two people had said yes.'
    : 'People took no part: the demo invites them only to a tenant that it makes itself, without --key.',
  'B was paid out although nobody acknowledged it: reconciliation found the payment.',
  'The payment of A was proven from one file, without the platform; with one byte changed the file was broken.\n',
];

/** The last word: debits and credits are the same. */
async function expectBalanced(teller: Teller, company: string): Promise<void> {
  const trial = await teller.ask('And the books balance', 'GET', '/v1/ledger/trial-balance', company);
  const off = trial['data'].filter(({ difference }: { difference: string }) => Number(difference) !== 0);
  if (off.length > 0) throw new Error('the trial balance is not zero');
}
