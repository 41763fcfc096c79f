// The first middleware: a name for the request, the trace that it belongs to, and the headers that every answer carries (CONTRACT.md 0
// "Common headers").
import { randomUUID } from 'node:crypto';
import type { Environment } from '../platform/ctx.js';
import { readTraceparent } from '../platform/trace.js';
import { clientAddress } from './client-address.js';
import type { Handler } from './state.js';

const sane = /^[A-Za-z0-9._-]{1,128}$/;

export interface RequestIdOptions {
  environment: Environment;
  /** True when callers reach us over https: only then is Strict-Transport-Security theirs to keep. */
  https: boolean;
  /** How many proxies in front append to X-Forwarded-For. */
  trustedProxies: number;
}

/** Names the request (the caller's X-Request-Id when it is sane), echoes the name, and sets the security headers. */
export function identifyRequest({ environment, https, trustedProxies }: RequestIdOptions): Handler {
  return (http, next) => {
    const { req, res, state } = http;
    const given = req.headers['x-request-id'];
    state.requestId = typeof given === 'string' && sane.test(given) ? given : `req_${randomUUID()}`;
    state.ip = clientAddress(req, trustedProxies);
    const trace = readTraceparent(req.headers['traceparent']);
    if (trace !== undefined) state.trace = trace;
    state.face = 'rest';
    state.rateCost = 1;
    res.setHeader('X-Request-Id', state.requestId);
    res.setHeader('X-Environment', environment);
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('X-Frame-Options', 'DENY');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    if (https) res.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    return next();
  };
}
