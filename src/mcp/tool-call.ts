// What every revision does with its two methods: the tools that the caller is offered, and a call of one.
import { randomBytes } from 'node:crypto';
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { leftOut, referenceOf } from '../http/answer-limit.js';
import { errorBodyOf } from '../http/errors.js';
import { answerText, mostAnswerBytes } from '../platform/answer-text.js';
import { AnswerTooLarge, declareError } from '../platform/errors.js';
import type { Answer } from '../platform/idempotency.js';
import type { Arguments, Catalog, CompiledTool } from './catalog.js';
import { withCalls, withKey } from './next-step.js';
import { offeredTools, toolOf } from './offer.js';
import { keyMember } from './tool-schema.js';
import { answerOf, type Caller } from './waiting.js';

const invalidParams = -32_602;
const internalError = -32_603;

/** An error of the protocol, with its number. */
export class RpcFault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface Speaking extends Caller {
  catalog: Catalog;
  /** The path, as metrics and logs name it. */
  route: string;
  /** The Idempotency-Key of a call that brings none. Without it such a call is refused: a call that has no session has no name. */
  keyOf?: (id: string | number) => string;
}

/** The tools that the caller is offered now. */
export async function listTools({ catalog, ctx, route, keyOf }: Speaking): Promise<ListedTool[]> {
  try {
    return (await offeredTools(catalog, ctx)).map(({ listing, keyedListing }) => (keyOf === undefined ? keyedListing : listing));
  } catch (error) {
    const { error: told, body } = errorBodyOf(error, ctx, route);
    throw new RpcFault(internalError, told.message, body);
  }
}

/** What a caller asks for. */
export interface AskedCall {
  name: string;
  arguments?: Arguments | undefined;
}

/** Calls a tool. What is refused is a result; an unknown tool is a fault of the protocol. */
export async function callTool(speaking: Speaking, call: AskedCall, id: string | number): Promise<CallToolResult> {
  const { catalog, ctx, again, route, keyOf, left } = speaking;
  const found = toolOf(catalog, ctx, call.name);
  if (found === undefined) throw new RpcFault(invalidParams, `There is no tool ${call.name.slice(0, 64)} for you.`);
  const given = call.arguments ?? {};
  const { [keyMember]: own } = given;
  const key = typeof own === 'string' ? own : (keyOf?.(id) ?? newKey());
  try {
    if (keyOf === undefined) requireKey(found, own);
    return resultOf(await answerOf({ compiled: found, given, key }, { ctx, again, left }));
  } catch (error) {
    const reference = error instanceof AnswerTooLarge ? referenceOf(ctx) : undefined;
    if (reference !== undefined) return resultOf({ body: leftOut(reference) });
    const { body } = errorBodyOf(error, ctx, route);
    const told = found.isKeyed ? withKey(body, key) : body;
    return refusalOf(withCalls(told, catalog, ctx.actor, keyOf === undefined ? newKey : undefined));
  }
}

/** A key that nobody has used. */
const newKey = () => `mcp:${randomBytes(18).toString('base64url')}`;

// Gap G-620: A modern call that needs a key and has none is `validation_failed`, with a new one in `details.retry`.
/** 400: a call without a session has no name but its key. */
class CallWithoutKey extends declareError(400, 'validation_failed') {
  constructor() {
    super('Nothing was done: this call has no name. Make it with `idempotency_key`, and again with the same one if you hear nothing.', {
      details: { retry: { safe: true, same_key: true } },
      fields: [{ path: [keyMember], message: 'is required', rule: 'required' }],
    });
  }
}

function requireKey({ isKeyed }: CompiledTool, own: unknown): void {
  if (isKeyed && own == null) throw new CallWithoutKey();
}

/** A result stands in its message twice, as data and as text in a text, up to three times of what it is by itself (see G-401). */
const mostResultBytes = mostAnswerBytes / 3;

/** The body of REST, as data and as text for clients that read no data, and a word on what is still to be waited for. */
function resultOf({ body, replayed }: Pick<Answer, 'body' | 'replayed'>): CallToolResult {
  const text = answerText(body, mostResultBytes);
  const structuredContent = JSON.parse(text) as Record<string, unknown>;
  const approval = structuredContent['approval'] as { id: string } | undefined;
  const hint = approval
    ? `Nothing is paid yet: a person has to approve it. Call wait_for_approval with id ${approval.id}.`
    : votesIn(structuredContent['data']);
  return {
    content: [{ type: 'text', text }, ...(hint === undefined ? [] : [{ type: 'text' as const, text: hint }])],
    structuredContent,
    ...(replayed && { _meta: { idempotent_replayed: true } }),
  };
}

/** How far the votes on an approval are, where people are asked and it is still pending: `1 of 2`. */
function votesIn(data: unknown): string | undefined {
  const { status, required, missing } = (data ?? {}) as { status?: unknown; required?: unknown; missing?: unknown };
  if (status !== 'pending' || !Array.isArray(required) || required.length === 0 || typeof missing !== 'number') return undefined;
  const needed = Math.max(...required.map(({ count }: { count: number }) => count));
  return `${needed - missing} of ${needed} people have approved. It is paid when the last of them has.`;
}

/** What is refused is a result, arguments that cannot be read too: a model sees results alone, reads why, and mends its call. */
function refusalOf(body: Record<string, unknown>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
}
