// The JSON Schema of 2026-07-28, which every message that the tests see is held to.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../harness.js';

const file = new URL('../vectors/mcp/schema-2026-07-28.json', import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')), 'mcp');

const results: Record<string, string> = {
  'server/discover': 'DiscoverResultResponse',
  'tools/list': 'ListToolsResultResponse',
  'tools/call': 'CallToolResultResponse',
  'subscriptions/listen': 'SubscriptionsListenResultResponse',
};
const notifications: Record<string, string> = {
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledgedNotification',
  'notifications/tools/list_changed': 'ToolListChangedNotification',
};
const errors: Record<number, string> = {
  [-32_020]: 'HeaderMismatchError',
  [-32_022]: 'UnsupportedProtocolVersionError',
};

function nameOf(asked: string, { method, error }: Json): string {
  if (method !== undefined) return notifications[method] ?? `no notification ${method} is sent`;
  if (error !== undefined) return errors[error.code] ?? 'JSONRPCErrorResponse';
  return results[asked] ?? 'JSONRPCResultResponse';
}

/** Throws for a message that the schema does not have, as an answer to the method `asked`. */
export function checkMessage(asked: string, message: Json): void {
  const name = nameOf(asked, message);
  const validate = ajv.getSchema(`mcp#/$defs/${name}`);
  if (validate === undefined) throw new Error(`there is no schema: ${name}`);
  if (!validate(message)) throw new Error(`no ${name}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(message).slice(0, 500)}`);
}
