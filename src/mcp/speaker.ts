// The server of MCP as its SDK has it, for one message or one stream: it lists the tools that the caller is offered, and calls them.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type CallToolRequest, type CallToolResult, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { leftOut, referenceOf } from '../http/answer-limit.js';
import { errorBodyOf } from '../http/errors.js';
import { answerText, mostAnswerBytes } from '../platform/answer-text.js';
import { AnswerTooLarge } from '../platform/errors.js';
import type { Answer } from '../platform/idempotency.js';
import type { Arguments, Catalog } from './catalog.js';
import { withCalls, withKey } from './next-step.js';
import { offeredTools, toolOf } from './offer.js';
import { keyMember } from './tool-schema.js';
import { answerOf, type Caller } from './waiting.js';

const instructions = `Payments for software agents. Call whoami first: it says who you are, what your wallets have and what is left of your limits.
Amounts are decimal text. What is refused says why in \`code\`, and in \`details.next_actions\` what would help and who can do it: do not try the same call again unless \`details.retry\` says so, and then with its \`idempotency_key\` if it names one.
A payment that needs an approval is not paid yet: wait_for_approval tells when a person has decided.
The tools that are listed are those that you can use now; the list changes with your limits.`;

/**
 * The SDK looks at a call once more before it is made, and says of a bad one that the caller is at fault; its own schema would say that we
 * are.
 */
const anyCall = z.object({ method: z.literal('tools/call'), params: z.unknown().optional() });

export interface Speaking extends Caller {
  catalog: Catalog;
  /** The path, as metrics and logs name it. */
  route: string;
  /** The Idempotency-Key of a call that brings none. */
  keyOf: (id: string | number) => string;
}

/** A server that speaks for `ctx`. */
export function createSpeaker({ catalog, ctx, again, route, keyOf, left }: Speaking): Server {
  const server = new Server(
    { name: 'agent-payments', title: 'Agent Payments', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    try {
      return { tools: (await offeredTools(catalog, ctx)).map(({ listing }) => listing) };
    } catch (error) {
      const { error: told, body } = errorBodyOf(error, ctx, route);
      throw new McpError(ErrorCode.InternalError, told.message, body);
    }
  });
  server.setRequestHandler(anyCall, async (call, { requestId }) => {
    const params = call.params as CallToolRequest['params'];
    const found = toolOf(catalog, ctx, params.name);
    if (found === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 64)} for you.`);
    const given: Arguments = params.arguments ?? {};
    const { [keyMember]: own } = given;
    const key = typeof own === 'string' ? own : keyOf(requestId);
    try {
      return resultOf(await answerOf({ compiled: found, given, key }, { ctx, again, left }));
    } catch (error) {
      const reference = error instanceof AnswerTooLarge ? referenceOf(ctx) : undefined;
      if (reference !== undefined) return resultOf({ body: leftOut(reference) });
      const { body } = errorBodyOf(error, ctx, route);
      return refusalOf(withCalls(found.isKeyed ? withKey(body, key) : body, catalog, ctx.actor));
    }
  });
  return server;
}

/** A result stands in its message twice, as data and as text in a text, up to three times of what it is by itself (Gap G-401). */
const mostResultBytes = mostAnswerBytes / 3;

/** The body of REST, as data and as text for clients that read no data, and a word on what is still to be waited for. */
function resultOf({ body, replayed }: Pick<Answer, 'body' | 'replayed'>): CallToolResult {
  const text = answerText(body, mostResultBytes);
  const structuredContent = JSON.parse(text) as Record<string, unknown>;
  const approval = structuredContent['approval'] as { id: string } | undefined;
  const hint = approval && `Nothing is paid yet: a person has to approve it. Call wait_for_approval with id ${approval.id}.`;
  return {
    content: [{ type: 'text', text }, ...(hint === undefined ? [] : [{ type: 'text' as const, text: hint }])],
    structuredContent,
    ...(replayed && { _meta: { idempotent_replayed: true } }),
  };
}

/** What is refused is a result, arguments that cannot be read too: a model sees results alone, reads why, and mends its call. */
function refusalOf(body: Record<string, unknown>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
}
