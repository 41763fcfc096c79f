// The package: what `@agent-payments/sdk` exports. It runs in Node and in browsers; webhooks have an entry of their own.
export type { Answer, Call, CallOptions, DryRun, Init, List, ListItem, ListPath, PathOf } from './call.js';
export type { ChannelEvent, ChannelOptions } from './channel.js';
export { type Client, type ClientOptions, createClient } from './client.js';
export type { AgentKey, Credential, Fetch } from './credential.js';
export { ApiError, type ErrorDetails, InsufficientScope, NetworkError, type NextAction } from './error.js';
export type { components, operations, paths } from './generated/api.js';
export type { ErrorCode } from './generated/code.js';
export { paid, type Sale, type Serve } from './paid.js';
export { type PayingFetch, type Payment, PaymentError, type PaymentLimits, payingFetch } from './paying-fetch.js';
export type { Patience } from './send.js';
export { type SigningKey, type SigningOptions, signRequest } from './sign-request.js';
