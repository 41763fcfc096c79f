// The door of A2A: JSON-RPC at the endpoint of an agent, in 1.0 and 0.3. Messages name themselves, so the same one has one effect.
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { type Door, type DoorRequest, guardedDoor, type Visit } from '../../platform/door.js';
import { NotFound } from '../../platform/errors.js';
import { IdempotencyInFlight } from '../../platform/idempotency.js';
import { parseId } from '../../platform/schema/id.js';
import type { A2aCall, Host } from './call.js';
import { endpointPath } from './card.js';
import {
  idOf,
  printError,
  printResult,
  readRequest,
  refusalShape,
  refuseBatch,
  requestShape,
  resultShape,
  spellRpc,
  type Version,
  versionOf,
} from './json-rpc.js';
import { callMethod, sends, sentBefore } from './method.js';

type Body = Parameters<typeof idOf>[0];
type Asking = Visit<Body, Host>;

/** Finds the agent whose endpoint it is. 404 for one that is not of this workspace: whose tasks are whose is asked of each task. */
async function admit(ctx: Ctx, { raw, params }: DoorRequest): Promise<Host> {
  refuseBatch(raw);
  const id = parseId('agent', params['agent_id']);
  const host = id === null ? null : await ctx.db.agent.findFirst({ where: { id }, select: { id: true, status: true } });
  if (host === null) throw new NotFound();
  return host;
}

function callOf({ admission, body, header }: Asking): A2aCall & { method: string; id: string | number | null } {
  const { id, method, params } = readRequest(body);
  return { id, method, params, host: admission, version: versionOf(header('A2A-Version'), method) };
}

// Gap G-350: The same `messageId` is one task for 24 hours; another message with that id is refused.
/** The id of a message, and what it says. A request that cannot be read has none, and is refused. */
function named({ body }: Asking): { key: string; content: unknown } | undefined {
  const { message, metadata } = (body.params ?? {}) as { message?: { messageId?: unknown } | null; metadata?: unknown };
  const messageId = message?.messageId;
  if (!sends(body.method) || typeof messageId !== 'string' || messageId === '') return undefined;
  return { key: sha256(messageId).toString('base64url'), content: { message, ...(metadata != null && { metadata }) } };
}

/** The version in which a refusal is spelled: also of a request whose own cannot be served. */
function spokenVersion({ body, header }: Asking): Version {
  try {
    return versionOf(header('A2A-Version'), body.method);
  } catch {
    return '1.0';
  }
}

const rpcDoor = guardedDoor<typeof requestShape, Host>({
  id: 'callA2aAgent',
  method: 'POST',
  path: endpointPath,
  audience: 'any',
  scope: 'tasks:write',
  tag: { name: 'a2a' },
  summary: 'Talk to an agent by A2A',
  description:
    'JSON-RPC 2.0: `SendMessage` gives the agent a task, whose price goes into escrow, or answers what it has asked; `GetTask`, `ListTasks` and `CancelTask` are about tasks that the caller gave. The skill, a payment other than the price, the most that the price may be (`max_price`) and a deadline stand in `metadata` of the message. Without `max_price` a price that was raised in the last ten minutes is refused with both prices. The same `messageId` twice is one task. What is refused is a 200 with an error.',
  headers: [{ name: 'A2A-Version', description: '`1.0` or `0.3`; without it the name of the method says which.' }],
  request: {
    schema: requestShape,
    example: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId: '7b0e6d0c-6f0c-4f0e-9a43-0c6f1f0f8a11',
          role: 'ROLE_USER',
          parts: [{ data: { text: 'Good morning.' } }],
          metadata: { skill_id: 'translate' },
        },
      },
    },
  },
  answers: { 200: { schema: resultShape, description: 'The result, or the error.' } },
  failures: [400, 401, 403, 404, 409, 503],
  refusal: { spell: spellRpc, schema: refusalShape },
  admit,
  named,
  async take(ctx, visit) {
    const { id, method, ...call } = callOf(visit);
    return printResult(id, await callMethod(ctx, method, call));
  },
  async again(ctx, visit, reference) {
    const { id, method: _, ...call } = callOf(visit);
    return printResult(id, await sentBefore(ctx, call, reference));
  },
  failed: (visit, error, requestId) => ({
    status: error instanceof IdempotencyInFlight ? error.status : 200,
    body: printError(error, idOf(visit.body), requestId, spokenVersion(visit)),
    ...(error.headers && { headers: error.headers }),
  }),
});

export const rpcDoors: readonly Door[] = [rpcDoor];
