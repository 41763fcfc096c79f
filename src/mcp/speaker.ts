// The server of MCP as its SDK has it for the revisions with sessions, for one message or one stream: it lists the tools that the caller is
// offered, and calls them.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type CallToolRequest, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { capabilities, instructions, serverInfo } from './self.js';
import { callTool, listTools, RpcFault, type Speaking } from './tool-call.js';

/**
 * The SDK looks at a call once more before it is made, and says of a bad one that the caller is at fault; its own schema would say that we
 * are.
 */
const anyCall = z.object({ method: z.literal('tools/call'), params: z.unknown().optional() });

/** A server that speaks for `ctx`. */
export function createSpeaker(speaking: Speaking): Server {
  const server = new Server(serverInfo, { capabilities, instructions });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await asSdk(listTools(speaking)) }));
  server.setRequestHandler(anyCall, async (call, { requestId }) =>
    asSdk(callTool(speaking, call.params as CallToolRequest['params'], requestId)),
  );
  return server;
}

/** With faults as the SDK spells them. */
async function asSdk<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RpcFault ? new McpError(error.code, error.message, error.data) : error;
  }
}
