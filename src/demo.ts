// The story that the platform exists for, played against a running sandbox with every request and answer readable.
import { setTimeout as pause } from 'node:timers/promises';
import nacl from 'tweetnacl';
import { type Reply, sendJson } from './platform/outbound/client.js';

export interface DemoOptions {
  /** The sandbox listener. */
  url: string;
  /** A test key. */
  key: string;
  say: (text: string) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: the answers are shown to a person as they come
type Json = Record<string, any>;

/** Plays the story; throws at the first answer that is not the expected one. */
export async function playDemo({ url, key, say }: DemoOptions): Promise<void> {
  const teller = new Teller(url, say);
  const company = `Bearer ${key}`;

  say(`\nTwo companies, one agent each, on ${url}\n`);
  const buyer = await teller.ask('A company opens an account', 'POST', '/v1/accounts', company, { type: 'business', name: 'Buyer Ltd' });
  const seller = await teller.ask('So does another', 'POST', '/v1/accounts', company, { type: 'business', name: 'Seller Ltd' });
  const agentBody = (parent: string, name: string) => ({
    parent_account_id: parent,
    name,
    generate_keypair: true,
    wallet: { currency: 'USDC' },
  });
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
  await askForMore(teller, company, session, { agent: agentA, payment });
  const trial = await teller.ask('And the books balance', 'GET', '/v1/ledger/trial-balance', company);
  const off = trial['data'].filter(({ difference }: { difference: string }) => Number(difference) !== 0);
  if (off.length > 0) throw new Error('the trial balance is not zero');
  say('\nA paid once, B was paid, the overdraft was refused, the trial balance is zero.');
  say('A streamed B a salary, which B took out while it flowed, exact to the second.');
  say('A hit its budget, asked for approval, and paid when a person said yes.\n');
}

/** The chapter of spend control: an agent hits its budget, reads what is left, asks for approval, and a person approves. */
async function askForMore(
  teller: Teller,
  company: string,
  session: string,
  { agent, payment }: { agent: string; payment: Json },
): Promise<void> {
  const budget = {
    name: 'What Agent A may spend in a day',
    scope: { type: 'agent', id: agent },
    amount: '20.00',
    currency: 'USDC',
    period: 'day',
    alerts_at: ['0.8'],
  };
  await teller.ask('The company gives A a budget of 20.00 a day', 'POST', '/v1/budgets', company, budget);
  await teller.ask('A pays B 12.50 again: the budget holds that', 'POST', '/v1/transfers', session, payment);
  const refused = await teller.ask('Once more, and the budget refuses', 'POST', '/v1/transfers', session, payment, {}, 403);
  const wayOut = refused['details'].next_actions.find(({ rel }: Json) => rel === 'request_approval');
  if (refused['code'] !== 'budget_exceeded' || wayOut === undefined) throw new Error('the budget did not say what A can do');
  const { data } = await teller.ask('A reads what is left', 'GET', `/v1/agents/${agent}/limits`, session);
  if (data.budgets[0]?.remaining !== '7.50') throw new Error('A did not see what is left of its budget');
  const asked = await teller.ask(
    'A does what the refusal suggests: it asks for approval',
    wayOut.method,
    wayOut.path,
    session,
    wayOut.body,
    {},
    202,
  );
  const approve = `/v1/approvals/${asked['approval'].id}/approve`;
  const approved = await teller.ask('A person at the company says yes', 'POST', approve, company, { comment: 'Go ahead.' });
  if (approved['transfer']?.status !== 'completed') throw new Error('the approved payment did not go through');
}

/** The chapter of streams: A pays B a salary by the second, and B takes out what has flowed while it flows. */
async function payBySecond(
  teller: Teller,
  company: string,
  session: string,
  { walletA, walletB, token }: { walletA: string; walletB: string; token: string },
): Promise<void> {
  const salary = {
    from_wallet_id: walletA,
    to_wallet_id: walletB,
    currency: 'USDC',
    rate: { amount: '216.00', per: 'month30' },
    initial_deposit: '7.50',
    buffer: '0.30',
  };
  const { data: stream } = await teller.ask('A streams B a salary, 7.20 a day', 'POST', '/v1/streams', session, salary);
  const advance = '/v1/test/clocks/advance';
  await teller.ask('An hour passes in the sandbox', 'POST', advance, company, { seconds: 3_600 });
  const path = `/v1/streams/${stream.id}`;
  const taken = await teller.ask('B takes out what has flowed, to the second', 'POST', `${path}/withdraw`, `Bearer ${token}`, {});
  if (Number(taken['transfer'].amount) < 0.3) throw new Error('the stream did not flow');
  await teller.ask('Another day passes: the stream is used up', 'POST', advance, company, { seconds: 86_400 });
  const { data: ended } = await teller.ask('Nothing more flows than was put in', 'GET', path, session);
  if (ended.status !== 'exhausted' || ended.streamed_total !== '7.20') throw new Error('the stream did not stop where its money ended');
  await teller.ask('A ends it: B gets the rest of its salary, A its buffer', 'POST', `${path}/cancel`, session, {
    reason: 'Paid in full.',
  });
}

/** Sends requests and prints them with their answers, secrets shortened. */
class Teller {
  readonly #url: string;
  readonly #say: (text: string) => void;
  #step = 0;

  constructor(url: string, say: (text: string) => void) {
    this.#url = url;
    this.#say = say;
  }

  async ask(
    title: string,
    method: string,
    path: string,
    authorization: string | null,
    body?: unknown,
    headers: Record<string, string> = {},
    expected?: number,
  ): Promise<Json> {
    this.#step += 1;
    this.#say(`\n${this.#step}. ${title}`);
    const sent = { ...(authorization === null ? {} : { Authorization: authorization }), ...headers };
    this.#say(`   > ${method} ${path}${authorization === null ? '  (public)' : `  Authorization: ${authorization.slice(0, 20)}...`}`);
    for (const [name, value] of Object.entries(headers)) this.#say(`   > ${name}: ${value}`);
    if (body !== undefined) this.#say(indent('   > ', body));
    const reply = await this.#send(method, path, sent, body);
    this.#say(`   < ${reply.status}${reply.headers.get('Idempotent-Replayed') === null ? '' : '  Idempotent-Replayed: true'}`);
    this.#say(indent('   < ', reply.body));
    const good = expected === undefined ? reply.status < 300 : reply.status === expected;
    if (!good) throw new Error(`step ${this.#step} was answered ${reply.status}`);
    return reply.body as Json;
  }

  async #send(method: string, path: string, headers: Record<string, string>, body: unknown): Promise<Reply> {
    const reply = await sendJson(this.#url + path, { method, headers, body }).catch((cause: unknown) => {
      throw new Error(`Nobody answers at ${this.#url}. Start the platform first: npm start`, { cause });
    });
    if (reply.status !== 429) return reply;
    const seconds = Number(reply.headers.get('Retry-After') ?? 60);
    this.#say(`   < 429: five sign-ins a minute are allowed; going on in ${seconds} s`);
    await pause(seconds * 1000);
    return this.#send(method, path, headers, body);
  }
}

const secrets = /("(?:token|privateKey|sessionToken|signature)": ")([^"]{12})[^"]*/g;
function indent(mark: string, body: unknown): string {
  return JSON.stringify(body, null, 2)
    .replace(secrets, '$1$2...')
    .split('\n')
    .map((line) => mark + line)
    .join('\n');
}
