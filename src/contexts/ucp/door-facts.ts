// What the doors of merchants have in common.
import { failure } from './answer.js';
import { spell } from './refusal.js';

/** What every door of a merchant has. */
export const shared = {
  tag: { name: 'ucp' },
  audience: 'any',
  scope: 'checkouts:write',
  headers: [
    { name: 'UCP-Agent', description: '`profile="https://..."`, the address of the profile of the agent.', required: true },
    { name: 'Signature-Input', description: 'What a signature covers (RFC 9421), where the request is signed.' },
    { name: 'Signature', description: 'The signature, by a key of the profile.' },
    { name: 'Content-Digest', description: 'SHA-256 of the body (RFC 9530), where the request is signed.' },
  ],
  echoes: ['Request-Id'],
  refusal: { spell, schema: failure },
} as const;
