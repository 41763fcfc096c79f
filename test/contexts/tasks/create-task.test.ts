// POST /v1/a2a/tasks, GET /v1/a2a/tasks and /{id}, PATCH /v1/a2a/tasks/{id}
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { mandateBody } from '../../factories/mandate.js';
import { balanceOf, idsOf } from '../../factories/payment.js';
import {
  giveTask,
  later,
  newHand,
  newSides,
  offerTask,
  readTask,
  stepTask,
  storedTask,
  taskBody,
  taskIn,
  tenDollars,
} from '../../factories/task.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { explain, recordStatements } from '../../plan.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const create = (body: object, as?: string) => harness.test.post('/v1/a2a/tasks', body, as === undefined ? {} : { as });

describe('POST /v1/a2a/tasks', () => {
  it('201: by each method; the money is in escrow, and what protocols keep back is kept back when it is released', async () => {
    const sides = await newSides(harness.test);
    const { sender } = sides;
    const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(sender));
    const presented = { mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
    for (const [method, protocol, extra] of [
      ['wallet', 'internal', {}],
      ['x402', 'x402', {}],
      ['mpp', 'mpp', {}],
      ['ap2', 'ap2', presented],
    ] as const) {
      const task = await taskIn(harness.test, sides, 'completed', { payment: { ...tenDollars, method, ...extra } });
      const read = async () => (await harness.test.get(`/v1/transfers/${task.payment.transfer_id}`)).body.data;
      expect(await read()).toMatchObject({ protocol, status: 'pending', task_id: task.id });
      for (const step of ['capture', 'cancel']) {
        expectRefused(await harness.test.post(`/v1/transfers/${task.payment.transfer_id}/${step}`, {}), 409, 'state_conflict');
      }
      expect((await stepTask(harness.test, task, 'approve', sender)).body.data.payment).toMatchObject({ method, status: 'released' });
      expect(await read()).toMatchObject({ protocol, status: 'completed' });
    }
    expect(await balanceOf(harness.test, sender.wallet)).toMatchObject({ available: '960.00', held: '0.00' });
    const used = (await harness.test.get(`/v1/ap2/mandates/${mandate.id}`)).body.data.usage;
    expect(used).toMatchObject({ today: '10.00', executions: 1 });
  });

  it('201: the skill of the worker says the price and what is delivered; a task may also be for nothing', async () => {
    const skill = {
      id: 'translate',
      name: 'Translating',
      description: 'German to English',
      price: { amount: '7.50', currency: 'USD' },
      input_schema: { type: 'object', required: ['text'] },
      output_schema: { type: 'object', required: ['text'] },
    };
    const sides = await newSides(harness.test, { skills: [skill] });
    const task = await giveTask(harness.test, sides, { payment: { method: 'wallet' } });
    expect(task).toMatchObject({ payment: { amount: '7.50', currency: 'USD' }, acceptance: { json_schema: skill.output_schema } });
    expectInvalid(await create(taskBody(sides, { payload: { words: 3 } }), sides.sender.token), 'payload');
    const free = await giveTask(harness.test, sides, { payment: null, skill_id: 'other' });
    for (const member of ['payment', 'acceptance']) expect(free).not.toHaveProperty(member);
    await stepTask(harness.test, free, 'respond', sides.worker, { action: 'accept' });
    const { body } = await stepTask(harness.test, free, 'complete', sides.worker, { deliverable: {} });
    expect(body.data).not.toHaveProperty('review_deadline');
    expectRefused(await stepTask(harness.test, free, 'dispute', sides.sender, { reason: 'other' }), 409, 'state_conflict');
    expect((await stepTask(harness.test, free, 'rate', sides.sender, { rating: 1 })).body.data.rating).toBe(1);
  });

  it('202: what waits for an approval is seen by its sender alone until it is given', async () => {
    const sides = await newSides(harness.test);
    const { sender, worker } = sides;
    await trip(harness, sender.uuid);
    const ask = async (extra: object = {}) => create(taskBody(sides, extra), sender.token);
    const [first, second, late] = [await ask(), await ask(), await ask({ deadline: later(harness, 300) })];
    expect(first).toMatchObject({ status: 202, body: { data: { status: 'pending', payment: { status: 'awaiting_approval' } } } });
    const { data: task } = first.body;
    expect(await balanceOf(harness.test, sender.wallet)).toMatchObject({ available: '970.00', held: '30.00', total: '1000.00' });
    const sees = (by: { token: string }) => harness.test.get(`/v1/a2a/tasks/${task.id}`, { as: by.token });
    expect([(await sees(sender)).status, (await sees(worker)).status]).toEqual([200, 404]);
    const { transfer_id: paying } = task.payment;
    const transfersOf = async ({ token: as }: { token: string }) => {
      const listed = (await harness.test.get('/v1/transfers?status=pending', { as })).body.data;
      const asked = await harness.test.graphql('{ transfers(status: pending) { nodes { id } } }', {}, { as });
      const found = [listed, asked.body.data.transfers.nodes].map((rows: Json[]) => rows.some(({ id }) => id === paying));
      return [(await harness.test.get(`/v1/transfers/${paying}`, { as })).status, ...found];
    };
    expect([...(await transfersOf(sender)), ...(await transfersOf(worker))]).toEqual([200, true, true, 404, false, false]);
    expectRefused(await stepTask(harness.test, task, 'respond', worker, { action: 'accept' }), 404, 'not_found');
    expectRefused(await stepTask(harness.test, task, 'respond', undefined, { action: 'accept' }), 409, 'state_conflict');
    const approved = await harness.test.post(`/v1/approvals/${first.body.approval.id}/approve`, {});
    expect(approved.body.task).toMatchObject({ id: task.id, payment: { status: 'reserved' } });
    expect(await transfersOf(worker)).toEqual([200, true, true]);
    expect(await balanceOf(harness.test, sender.wallet)).toMatchObject({ available: '970.00', held: '20.00', total: '990.00' });
    expect((await stepTask(harness.test, task, 'respond', worker, { action: 'accept' })).status).toBe(200);
    await harness.test.post(`/v1/approvals/${second.body.approval.id}/reject`, { reason: 'No' });
    expect(await readTask(harness.test, second.body.data)).toMatchObject({ status: 'cancelled', payment: { status: 'refunded' } });
    await harness.advance(300);
    expect(await readTask(harness.test, late.body.data)).toMatchObject({ status: 'expired', payment: { status: 'refunded' } });
    expect((await harness.test.get(`/v1/approvals/${late.body.approval.id}`)).body.data.status).toBe('cancelled');
    expect((await balanceOf(harness.test, sender.wallet)).available).toBe('990.00');
  });

  it('200: says what it would do, and changes nothing', async () => {
    const sides = await newSides(harness.test);
    const dry = async (extra: object) =>
      (await harness.test.post('/v1/a2a/tasks?dry_run=true', taskBody(sides, extra), { as: sides.sender.token })).body;
    const { data } = await dry({});
    expect(data).toMatchObject({ decision: { outcome: 'allow' }, would_emit: ['transfer.created'] });
    expect(data.would_post).toContainEqual({ account: 'task.escrow', direction: 'credit', amount: '10.00', currency: 'USD' });
    expect((await dry({ payment: { ...tenDollars, amount: '5000.00' } })).data.decision).toMatchObject({
      outcome: 'deny',
      code: 'insufficient_balance',
    });
    expect((await harness.test.get('/v1/a2a/tasks', { as: sides.sender.token })).body.pagination.total).toBe(0);
  });

  it('400: names each member that is wrong', async () => {
    const sides = await newSides(harness.test);
    const { sender, worker } = sides;
    const invalid = async (extra: object, ...paths: string[]) =>
      expectInvalid(await create(taskBody(sides, extra), sender.token), ...paths);
    expectInvalid(await create(taskBody(sides)), 'from_agent_id');
    await invalid({ skill_id: 'a b' }, 'skill_id');
    await invalid({ to_agent_id: sender.uuid }, 'to_agent_id');
    await invalid({ candidate_agent_ids: [worker.uuid] }, 'candidate_agent_ids');
    await invalid({ to_agent_id: undefined, candidate_agent_ids: [worker.uuid, worker.uuid] }, 'candidate_agent_ids.1');
    await invalid({ deadline: later(harness, -1) }, 'deadline');
    await invalid({ claim_timeout_seconds: 1, review_window_seconds: -1 }, 'claim_timeout_seconds', 'review_window_seconds');
    await invalid({ payment: { method: 'wallet' } }, 'payment.amount');
    await invalid({ payment: { method: 'wallet', amount: '1.00' } }, 'payment.currency');
    await invalid({ payment: { ...tenDollars, method: 'ap2' } }, 'payment.mandate_id');
    for (const [schema, path] of [
      [{ $ref: 'https://example.com/schema' }, '.$ref'],
      [{ properties: { a: { pattern: '(?=a)a+$' } } }, '.properties.a.pattern'],
      [{ type: 'thing' }, ''],
      [{ $ref: '#' }, ''],
    ] as const) {
      const answer = await create(taskBody(sides, { acceptance: { json_schema: schema } }), sender.token);
      expectRefused(answer, 400, 'validation_failed');
      expect(answer.body.details.fields[0].path).toBe(`acceptance.json_schema${path}`);
    }
  });

  it('403: a wallet that is not the agent’s, and a frozen agent', async () => {
    const sides = await newSides(harness.test);
    const { wallet } = await openWallet(harness.test, { funded: '100.00' });
    const other = taskBody(sides, { payment: { ...tenDollars, from_wallet_id: wallet.id } });
    expectRefused(await create(other, sides.sender.token), 403, 'forbidden');
    await harness.test.post(`/v1/agents/${sides.sender.id}/freeze`, {});
    expectRefused(await create(taskBody(sides), sides.sender.token), 403, 'agent_frozen');
  });

  it('404: agents and wallets that are not there, and another agent as the sender', async () => {
    const sides = await newSides(harness.test);
    for (const extra of [
      { to_agent_id: nowhere },
      { to_agent_id: undefined, candidate_agent_ids: [nowhere] },
      { from_agent_id: sides.worker.uuid, to_agent_id: undefined },
      { payment: { ...tenDollars, from_wallet_id: nowhere } },
      { payment: { ...tenDollars, currency: 'EUR' }, to_agent_id: undefined },
    ]) {
      expectRefused(await create(taskBody(sides, extra), sides.sender.token), 404, 'not_found');
    }
  });

  it('409 and 422: a revoked worker, no money, another currency', async () => {
    const sides = await newSides(harness.test);
    expectRefused(
      await create(taskBody(sides, { payment: { ...tenDollars, amount: '1000.01' } }), sides.sender.token),
      422,
      'insufficient_balance',
    );
    const { id } = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: sides.sender.id, currency: 'EUR' });
    expectRefused(
      await create(taskBody(sides, { payment: { ...tenDollars, from_wallet_id: id } }), sides.sender.token),
      422,
      'currency_mismatch',
    );
    await harness.test.post(`/v1/agents/${sides.worker.id}/revoke`, {});
    expectRefused(await create(taskBody(sides), sides.sender.token), 409, 'state_conflict');
  });
});

describe('GET /v1/a2a/tasks', () => {
  it('200: what an agent gave, works on, and may claim; nothing else', async () => {
    const sides = await newSides(harness.test);
    const { sender, worker } = sides;
    const [stranger, candidate] = [await newHand(harness.test), await newHand(harness.test)];
    const given = await giveTask(harness.test, sides);
    const offered = await offerTask(harness.test, sides, { skill_id: 'search' });
    const named = await offerTask(harness.test, sides, { candidate_agent_ids: [candidate.uuid] });
    const list = async (query: string, by?: { token: string }) =>
      idsOf(await harness.test.get(`/v1/a2a/tasks?${query}`, by === undefined ? {} : { as: by.token }));
    expect(await list('', sender)).toEqual([named.id, offered.id, given.id]);
    expect(await list('role=sender', worker)).toEqual([]);
    expect(await list('role=target', worker)).toEqual([given.id]);
    expect(await list('role=target', candidate)).toEqual([named.id]);
    expect(await list('open=true', worker)).toEqual([offered.id]);
    expect(await list('open=true&skill_id=search')).toEqual([offered.id]);
    expect(await list('', stranger)).toEqual([offered.id]);
    await stepTask(harness.test, offered, 'claim', stranger);
    expect(await list('open=true')).toEqual([named.id]);
    expect(await list('', worker)).toEqual([given.id]);
    expect(await list(`role=sender&agent_id=${sender.uuid}&status=accepted`)).toEqual([offered.id]);
    expectInvalid(await harness.test.get('/v1/a2a/tasks?role=sender'), 'agent_id');
  });

  it('200: of 1,000 open tasks of a skill, and 5,000 others, a page reads what it shows', async () => {
    const { id } = await storedTask(harness, harness.test);
    const { database } = harness.platform;
    const { workspaceId } = await database.unscoped.task.findFirstOrThrow({ where: { id } });
    await database.pool.query(manyTasks, [workspaceId, id]);
    await database.pool.query('ANALYZE task');
    const seeker = await newHand(harness.test);
    const recorded = recordStatements(database.pool);
    const { body } = await harness.test.get('/v1/a2a/tasks?open=true&skill_id=skill-1&limit=50', { as: seeker.token });
    recorded.stop();
    expect([body.data.length, body.pagination.total]).toEqual([50, 1_000]);
    const asked = recorded.statements.filter(({ text }) => /"task"/.test(text));
    expect(asked).toHaveLength(2);
    for (const statement of asked) {
      const isCount = /count\(/i.test(statement.text);
      for (const { type, table, rows, removed } of await explain(database.url, statement, 'force_custom_plan')) {
        if (table !== 'task') continue;
        expect([type, removed], statement.text).toEqual([expect.stringMatching(/^(Index|Bitmap)/), 0]);
        expect(rows, statement.text).toBeLessThanOrEqual(isCount ? 1_000 : 51);
      }
    }
  });
});

/** Six thousand tasks of three skills, every other one of them open. */
const manyTasks = `
  INSERT INTO task (workspace_id, id, from_agent_id, skill_id, status, open, audience, offered, payload, context_id, claim_timeout_seconds,
    review_window_seconds, created_by_type, created_by_id, created_at, updated_at)
  SELECT workspace_id, gen_random_uuid(), from_agent_id, 'skill-' || n % 3, status, open,
    (CASE WHEN n % 2 = 0 THEN 'anybody' ELSE 'sender' END)::task_audience, n % 2 = 0, payload, context_id, claim_timeout_seconds,
    review_window_seconds, created_by_type, created_by_id, created_at, updated_at
  FROM task, generate_series(1, 6000) n WHERE workspace_id = $1 AND id = $2`;

describe('GET /v1/a2a/tasks/{id}', () => {
  it('200: over GraphQL, with its agents and wallets as far as the reader sees them', async () => {
    const sides = await newSides(harness.test);
    const task = await giveTask(harness.test, sides);
    const query =
      '{ task(id: "ID") { fromAgent { id } toAgent { id } wallet { id } payeeWallet { id } payment { status } messages { id } } }';
    const ask = async (as: string) => (await harness.test.graphql(query.replace('ID', task.id), {}, { as })).body.data.task;
    const both = { fromAgent: { id: sides.sender.id }, wallet: { id: sides.sender.wallet.id } };
    expect(await ask(harness.test.key)).toMatchObject({ ...both, toAgent: { id: sides.worker.id } });
    expect(await ask(sides.sender.token)).toMatchObject({ ...both, toAgent: null, payeeWallet: null, payment: { status: 'reserved' } });
  });
});

describe('PATCH /v1/a2a/tasks/{id}', () => {
  it('200 and 409: what it is about, by its sender, while nobody works on it', async () => {
    const sides = await newSides(harness.test);
    const task = await giveTask(harness.test, sides, { deadline: later(harness, 300) });
    const change = (body: object, by = sides.sender) => harness.test.patch(`/v1/a2a/tasks/${task.id}`, body, { as: by.token });
    const deadline = later(harness, 3_600);
    expect((await change({ payload: { text: 'Hallo' }, deadline })).body.data).toMatchObject({ payload: { text: 'Hallo' }, deadline });
    await harness.advance(600);
    expect((await readTask(harness.test, task)).status).toBe('pending');
    for (const seconds of [0, 367 * 86_400]) expectInvalid(await change({ deadline: later(harness, seconds) }), 'deadline');
    expectRefused(await change({ payload: {} }, sides.worker), 403, 'forbidden');
    expect((await change({ deadline: null })).body.data).not.toHaveProperty('deadline');
    await stepTask(harness.test, task, 'respond', sides.worker, { action: 'accept' });
    expectRefused(await change({ payload: {} }), 409, 'state_conflict', { current_status: 'accepted' });
  });
});

describe('a wallet with money of a task', () => {
  it('409: names the task, and is closed when it has ended', async () => {
    const { account, wallet } = await openWallet(harness.test, { funded: '10.00' });
    const [giver, worker] = [await newHand(harness.test, undefined, { parent_account_id: account.id }), await newHand(harness.test)];
    const payment = { ...tenDollars, from_wallet_id: wallet.id };
    const body = taskBody({ worker }, { from_agent_id: giver.uuid, payment });
    const task: Json = await harness.test.make('/v1/a2a/tasks', body);
    const answer = await harness.test.post(`/v1/wallets/${wallet.id}/close`);
    expectRefused(answer, 409, 'state_conflict');
    expect(answer.body.details.open).toEqual([{ type: 'task', id: `task_${task.id}` }]);
    await stepTask(harness.test, task, 'cancel');
    expect((await readTask(harness.test, task)).status).toBe('cancelled');
  });
});
