// The door that providers of rails call: their own wire, no routed operation (docs/rails.md).
import type { OpenDoor } from '../../../platform/door.js';
import { callbackAnswer, callbackBody, receiveCallback } from './callback.js';

export const railDoor: OpenDoor = {
  id: 'receiveRailCallback',
  method: 'POST',
  path: '/v1/rails/{rail}/callbacks',
  tag: { name: 'settlement' },
  summary: 'Take in what the provider of a rail says of an order',
  description:
    'For providers: `X-Rail-Signature: t=<seconds>,v1=<hex>` signs the time, a point and the bytes of the body with HMAC-SHA256, at most five minutes ago. What is said twice, or too late, changes nothing.',
  headers: [{ name: 'X-Rail-Signature', description: 'The signature of the provider.', required: true }],
  request: {
    schema: callbackBody,
    example: {
      workspace: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
      reference: 'po01994d3e7a807c3a9d550b8a4f1c2e6d',
      state: 'settled',
      amount: '1250.00',
      currency: 'USD',
    },
  },
  answers: { 200: { schema: callbackAnswer } },
  failures: [400, 401, 404, 503],
  take: async (platform, { environment, params, header, raw, effect }) => ({
    body: await receiveCallback(platform, { environment, rail: params['rail'] ?? '', signature: header('X-Rail-Signature'), raw, effect }),
  }),
};
