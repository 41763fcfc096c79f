// The chapter of people: an owner joins and lets a model pay, by MCP 2026-07-28, the model asks for more than it may, and two people
// say yes.
import { createHash, randomBytes } from 'node:crypto';
import type { Json, Teller } from './teller.js';
import { Visitor } from './visitor.js';

/** Makes a link by which somebody joins, as the command line does. */
export type Invite = (email: string, role: 'owner' | 'finance') => Promise<string>;

/** Where the program would wait for its answer. Nobody comes there: the demo reads the answer from the address. */
const callback = 'http://127.0.0.1:7777/callback';

interface Scene {
  /** The account of the company, and the wallet that is paid. */
  account: string;
  payee: string;
  invite: Invite;
}

/** Plays the chapter. */
export async function payByModel(teller: Teller, company: string, { account, payee, invite }: Scene): Promise<void> {
  const ada = await join(teller, 'Ada', 'owner', invite);
  const { connection, token } = await connect(teller, ada, account);
  const { default_wallet_id: wallet } = (
    await teller.ask('The company looks at the new agent', 'GET', `/v1/agents/${connection.agent_id}`, company)
  )['data'];
  await teller.ask('And gives it money', 'POST', `/v1/wallets/${wallet}/fund`, company, { amount: '50.00' });
  const model = speak(teller, token);
  const payment = { from_wallet_id: wallet, to_wallet_id: payee, currency: 'USDC' };
  const paid = await model('The model pays, within its purse', 'pay', { ...payment, amount: '5.00', idempotency_key: 'model-1' });
  if (paid['data']?.status !== 'completed') throw new Error('the model did not pay');

  const [bob, carol] = [await join(teller, 'Bob', 'finance', invite), await join(teller, 'Carol', 'finance', invite)];
  const approval = { threshold: '10.00', currency: 'USDC', approvers: { count: 2 } };
  const policy = { name: 'Two people from 10.00 on', target: { type: 'agent', id: connection.agent_id }, rules: [], approval };
  await teller.ask('From 10.00 on two people have to say yes', 'POST', '/v1/policies', company, policy);
  const notices = await teller.ask('They are told by mail, where mail is configured', 'PUT', '/v1/approval-notices', company, {
    mail: true,
  });
  const asked = await model('The model wants to pay 12.00: it asks, and waits', 'pay', {
    ...payment,
    amount: '12.00',
    idempotency_key: 'model-2',
  });
  const { id } = asked['approval'];
  await decide(teller, id, { bob, carol, isMailed: notices['data'].mail_configured });
  const done = await model('The model sees that it has paid', 'get_transfer', { id: asked['data'].id });
  if (done['data']?.status !== 'completed') throw new Error('two people said yes, and nothing was paid');
}

async function join(teller: Teller, name: string, role: 'owner' | 'finance', invite: Invite): Promise<Visitor> {
  const visitor = new Visitor(teller, name);
  const link = await invite(visitor.email, role);
  const token = link.slice(link.indexOf('#') + 1);
  const body = { token, name, password: visitor.password };
  await visitor.ask(`${name} opens the link of an invitation and joins, role ${role}`, 'POST', '/v1/login/join', body);
  return visitor;
}

/** A program that knows an address alone is let in by a person. */
async function connect(teller: Teller, person: Visitor, account: string): Promise<{ connection: Json; token: string }> {
  const program = { client_name: 'A model', redirect_uris: [callback] };
  const { client_id: client } = await teller.ask(
    'A model knows our address alone, and registers',
    'POST',
    '/oauth/register',
    null,
    program,
  );
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: callback,
    scope: 'agent:read agent:act',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${teller.url}/mcp`,
  });
  const page = await person.open('It opens the browser of Ada', `${teller.url}/oauth/authorize?${query}`);
  const uid = page?.split('/').at(-1) ?? '';
  const input = {
    agent: { name: 'Model of Ada', parent_account_id: account, currency: 'USDC' },
    scopes: ['agent:read', 'agent:act'],
    budget: { amount: '20.00', currency: 'USDC', period: 'day' },
  };
  const { data } = await person.ask('Ada says as whom it acts, and what it may spend: 20.00 a day', 'POST', `/v1/connect/${uid}`, input);
  const back = await person.open('The browser brings the answer back', data.redirect_to);
  const code = new URL(back ?? callback).searchParams.get('code') ?? '';
  const exchange = { grant_type: 'authorization_code', client_id: client, code, redirect_uri: callback, code_verifier: verifier };
  const tokens = await teller.form('The model gets its token', '/oauth/token', { ...exchange, resource: `${teller.url}/mcp` });
  return { connection: data.connection, token: tokens['access_token'] };
}

/** MCP as a model of today speaks it: each message says what it is, and a call that changes something brings its key. Returns what calls tools. */
function speak(teller: Teller, token: string): (title: string, tool: string, given: object) => Promise<Json> {
  const version = '2026-07-28';
  const _meta = { [`${reserved}/protocolVersion`]: version, [`${reserved}/clientCapabilities`]: {} };
  let id = 0;
  return async (title, tool, given) => {
    id += 1;
    const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { _meta, name: tool, arguments: given } };
    const accept = { Accept: 'application/json, text/event-stream' };
    const headers = { ...accept, 'MCP-Protocol-Version': version, 'Mcp-Method': call.method, 'Mcp-Name': tool };
    const { result } = await teller.ask(title, 'POST', '/mcp', `Bearer ${token}`, call, headers);
    if (result === undefined || result.isError) throw new Error(`the tool ${tool} was refused`);
    return result.structuredContent;
  };
}

const reserved = 'io.modelcontextprotocol';

const vote = `mutation ($id: ApprovalId!) {
  approveApproval(id: $id, input: { comment: "Fine." }) { approval { status missing votes { member { name } vote } } }
}`;

/** Two people say yes: one who has the console open, one who follows the link of the mail. */
async function decide(
  teller: Teller,
  id: string,
  { bob, carol, isMailed }: { bob: Visitor; carol: Visitor; isMailed: boolean },
): Promise<void> {
  const first = await bob.run('Bob says yes in the console: one more has to', vote, { id });
  if (first['approveApproval'].approval.missing !== 1) throw new Error('one vote was enough, or counted for nothing');
  const how = isMailed ? 'Carol follows the link of the mail' : 'Carol follows the link that a mail would carry (SMTP_URL is not set)';
  await carol.open(how, `${teller.url}/console/approvals/${id}`);
  const sign = { email: carol.email, password: carol.password };
  await carol.ask('She signs in there', 'POST', '/v1/login/sign-in', sign);
  const last = await carol.run('And says yes: the payment is made', vote, { id });
  if (last['approveApproval'].approval.status !== 'approved') throw new Error('the second vote was not the last');
}
