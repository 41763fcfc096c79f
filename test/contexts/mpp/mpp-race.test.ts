// In two processes: a challenge is answered once, of vouchers the greatest counts and never more than the deposit, and kill -9 of one of
// the processes loses and doubles nothing.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newMppSession } from '../../factories/mpp.js';
import { answerTo, ledgerChallenge } from '../../factories/mpp-call.js';
import { balanceOf } from '../../factories/payment.js';
import { newBuyer, newEndpoint } from '../../factories/x402.js';
import { Client, type Json } from '../../harness.js';
import { isTurnedAway } from '../../load.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { ServerOnDatabase } from '../../server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: ServerOnDatabase;
let second: ServerProcess;
let client: Client;

beforeAll(async () => {
  // One door, whichever process opens it.
  server = await ServerOnDatabase.start({ SANDBOX_URL: 'http://door.example' });
  second = await startServerProcess(server.env);
  client = new Client(server.sandbox.url, server.sandbox.key);
});

afterAll(async () => {
  if (second?.isRunning) await second.kill('SIGKILL');
  await server?.stop();
});

const times = (n: number) => Array.from({ length: n }, (_, at) => at);
const shuffled = (n: number) => times(n).map((at) => (at * 137) % n);
const urlOf = (n: number) => (n % 2 === 0 ? client.url : second.test);

interface Reply {
  status: number;
  body: Json;
}

/** Sends to one of the processes; null where it died before it answered. */
async function send(url: string, path: string, authorization: string, body?: object): Promise<Reply | null> {
  const init = { method: 'POST', headers: { Authorization: authorization, 'Content-Type': 'application/json' } };
  try {
    for (;;) {
      const answer = await fetch(url + path, { ...init, ...(body && { body: JSON.stringify(body) }) });
      const reply = { status: answer.status, body: await answer.json() };
      if (!isTurnedAway(reply)) return reply;
    }
  } catch {
    return null;
  }
}

const received = async ({ receiver_wallet_id: id }: Json) => (await balanceOf(client, { id })).available;

it('one of 50 answers to a challenge pays, of two payers in two processes', async () => {
  const [endpoint, ...buyers] = [await newEndpoint(client), await newBuyer(client), await newBuyer(client)];
  const challenge = await ledgerChallenge(client, endpoint);
  const credentials = buyers.map((buyer) => answerTo(buyer, challenge));
  const replies = await Promise.all(times(50).map((n) => send(urlOf(n >> 1), `/x402/${endpoint.id}`, credentials[n % 2] ?? '')));
  expect(replies.filter((reply) => reply?.status === 200)).toHaveLength(1);
  expect(replies.filter((reply) => reply?.status === 402 && reply.body.reason === 'challenge_used')).toHaveLength(49);
  expect(await received(endpoint)).toBe('0.10');
});

it('of 200 vouchers the greatest within the deposit counts', async () => {
  const { session, payer, to } = await newMppSession(client);
  const path = `/v1/mpp/sessions/${session.id}/vouchers`;
  const replies = await Promise.all(
    shuffled(200).map((n) => send(urlOf(n), path, `Bearer ${payer.token}`, { cumulative_amount: ((n + 1) / 2 + 0.25).toFixed(2) })),
  );
  // 100.25 is more than was put in.
  expect(replies.filter((reply) => reply?.status === 422)).toHaveLength(1);
  expect(replies.every((reply) => reply !== null && [200, 201, 422].includes(reply.status))).toBe(true);
  const { data } = (await client.get(`/v1/mpp/sessions/${session.id}`)).body;
  expect(data).toMatchObject({ accepted_cumulative: '99.75', budget_remaining: '0.25' });
  const { rows } = await server.db.query(
    `SELECT count(*) AS n, sum(amount) AS total, max(cumulative_amount) AS most, max(sequence) AS last,
       bool_and(cumulative_amount = running) AS adds_up
     FROM (SELECT *, sum(amount) OVER (ORDER BY sequence) AS running FROM mpp_voucher WHERE session_id = $1) v`,
    [session.id.slice('mses_'.length)],
  );
  const taken = replies.filter((reply) => reply?.status === 201).length;
  expect(rows).toEqual([{ n: `${taken}`, total: '9975', most: '9975', last: taken, adds_up: true }]);
  await client.make(`/v1/mpp/sessions/${session.id}/close`, {});
  expect((await balanceOf(client, to)).available).toBe('99.75');
});

it('kill -9 in the middle of vouchers and of calls: what was sent again is done once', async () => {
  const { session, payer, to } = await newMppSession(client);
  const [endpoint, buyer] = [await newEndpoint(client), await newBuyer(client)];
  const count = 40;
  const credentials = await Promise.all(times(count).map(async () => answerTo(buyer, await ledgerChallenge(client, endpoint))));
  const voucher = (n: number, url: string) => {
    const body = { amount: '0.50', request_id: `r-${n}` };
    return send(url, `/v1/mpp/sessions/${session.id}/vouchers`, `Bearer ${payer.token}`, body);
  };
  const call = (n: number, url: string) => send(url, `/x402/${endpoint.id}`, credentials[n] ?? '');
  let answered = 0;
  const killed = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (answered < count / 2) return;
      clearInterval(timer);
      resolve(second.kill('SIGKILL').then(() => undefined));
    }, 1);
  });
  const counted = async (sent: Promise<Reply | null>) => {
    const reply = await sent;
    if (reply !== null) answered += 1;
    return reply;
  };
  // Four at a time each, so that the process dies in the middle.
  const lanes = times(8).map(async (lane) => {
    const replies: [number, Reply | null][] = [];
    for (let n = lane >> 1; n < count; n += 4) {
      const sent = lane % 2 === 0 ? voucher(n, urlOf(lane >> 1)) : call(n, urlOf(lane >> 1));
      replies.push([n, await counted(sent)]);
    }
    return replies;
  });
  const outcomes = await Promise.all(lanes);
  await killed;
  expect(outcomes.flat().some(([, reply]) => reply === null)).toBe(true);
  const sendAgain = async (replies: (typeof outcomes)[number], lane: number) => {
    const isVoucher = lane % 2 === 0;
    for (const [n, reply] of replies) {
      if (reply !== null) expect(reply.status).toBe(isVoucher ? 201 : 200);
      const again = isVoucher ? await voucher(n, client.url) : await call(n, client.url);
      const done = isVoucher ? again?.status === 200 : again?.body.reason === 'challenge_used';
      const made = again?.status === (isVoucher ? 201 : 200);
      // What was acknowledged was done; of the rest each is done by now.
      expect(reply === null ? done || made : done, JSON.stringify(again)).toBe(true);
    }
  };
  await Promise.all(outcomes.map(sendAgain));
  expect((await client.get(`/v1/mpp/sessions/${session.id}`)).body.data).toMatchObject({ accepted_cumulative: '20.00' });
  expect(await received(endpoint)).toBe('4.00');
  await client.make(`/v1/mpp/sessions/${session.id}/close`, {});
  expect((await balanceOf(client, to)).available).toBe('20.00');
});
