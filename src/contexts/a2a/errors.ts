// The errors of A2A and of JSON-RPC, by their numbers (A2A 1.0 section 5.4, JSON-RPC 2.0 section 5.1).
import { declareError } from '../../platform/errors.js';

/** Numbers, and the names that 1.0 gives them in `reason`. */
export const faults = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  task_not_found: -32001,
  task_not_cancelable: -32002,
  push_notification_not_supported: -32003,
  unsupported_operation: -32004,
  content_type_not_supported: -32005,
  extended_agent_card_not_configured: -32007,
  version_not_supported: -32009,
  /** What a rule of the platform refuses: its own error is in the data. */
  request_refused: -32000,
} as const;
export type A2aFault = keyof typeof faults;

/** What the protocol itself refuses. `field` is the member of the parameters that is wrong. */
export class RpcError extends declareError(400, 'a2a_error') {
  readonly fault: A2aFault;

  constructor(fault: A2aFault, message: string, field: readonly (string | number)[] = []) {
    super(message, { fields: [{ path: field, message, rule: fault }] });
    this.fault = fault;
  }
}
