// The GraphQL face of agents' keys.
import { AgentKeyStatus } from '../../generated/prisma/enums.js';
import { AlreadyExists, ApiKeyRequired, MissingCredential, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { AgentSuspended, KeyRevoked, SignatureInvalid } from './errors.js';
import { ProvisionAuthKeyInput, RotateAuthKeyInput } from './key.input.js';
import {
  keys,
  mostKeys,
  type NewKey,
  provisionedKey,
  provisionKey,
  type RevokedKey,
  type RotatedKey,
  revokedKey,
  revokeKey,
  rotateKey,
} from './key.js';
import { rest } from './rest.js';

const AgentKeyStatusEnum = builder.enumType(AgentKeyStatus, {
  name: 'AgentKeyStatus',
  description: '`active`: signs in. `rotated`: replaced by a newer key. `revoked`: ended for good.',
});
export const KeyAlgorithm = builder.enumType('KeyAlgorithm', {
  description: 'The signature algorithm; Ed25519 is the only one.',
  values: ['ed25519'] as const,
});

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

const AgentKey = builder.prismaObject('AgentKey', {
  description: 'An Ed25519 public key of an agent.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'AuthKeyId' }),
    publicKey: t.string({
      description: 'The Ed25519 public key, base64 of 32 bytes.',
      select: { publicKey: true },
      resolve: ({ publicKey }) => base64(publicKey),
    }),
    algorithm: t.field({ type: KeyAlgorithm, resolve: () => 'ed25519' as const }),
    status: t.expose('status', { type: AgentKeyStatusEnum }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    rotatedAt: t.expose('rotatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a newer key replaced it; null where none did.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked; null where it was not.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the agent last signed in with it; null where it did not.',
    }),
  }),
});

const warningOf = ({ privateKey }: NewKey) =>
  privateKey === null
    ? 'The private key is not kept here: whoever has it signs as the agent.'
    : 'Keep this private key: it is shown once and not kept here. Whoever has it signs as the agent.';

const IssuedKey = builder.interfaceRef<NewKey>('IssuedKey').implement({
  description: 'A key that was just created.',
  fields: (t) => ({
    keyId: t.field({ type: 'AuthKeyId', description: 'The id of the new key.', resolve: ({ key }) => key.id }),
    publicKey: t.string({ description: 'The Ed25519 public key, base64 of 32 bytes.', resolve: ({ key }) => base64(key.publicKey) }),
    privateKey: t.exposeString('privateKey', {
      nullable: true,
      description: 'Base64 of the 64-byte NaCl secret key (seed, then public key). Shown once, and only for a generated pair; else null.',
      extensions: { secret: true },
    }),
    algorithm: t.field({ type: KeyAlgorithm, resolve: () => 'ed25519' as const }),
    warning: t.string({ description: 'A reminder that the private key is not shown again.', resolve: warningOf }),
  }),
});

export const IssuedAuthKey = builder.objectRef<NewKey>('IssuedAuthKey').implement({
  description: 'A new key of an agent.',
  interfaces: [IssuedKey],
});

const RotatedAuthKey = builder.objectRef<RotatedKey>('RotatedAuthKey').implement({
  description: 'The key that takes the place of another.',
  interfaces: [IssuedKey],
  fields: (t) => ({
    previousKeyId: t.expose('previousKeyId', { type: 'AuthKeyId', description: 'The key that was replaced.' }),
    sessionsRevoked: t.exposeInt('sessionsRevoked', { description: 'Number of sessions that ended with the old key.' }),
  }),
});

const RevokedAuthKey = builder.objectRef<RevokedKey>('RevokedAuthKey').implement({
  description: 'A key that has ended, and the sessions that ended with it.',
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid', description: 'The agent.', resolve: ({ key }) => key.agentId }),
    keyId: t.field({ type: 'AuthKeyId', description: 'The key that was revoked.', resolve: ({ key }) => key.id }),
    status: t.field({ type: AgentKeyStatusEnum, resolve: ({ key }) => key.status }),
    sessionsRevoked: t.exposeInt('sessionsRevoked', { description: 'Number of sessions that ended with the key.' }),
    revokedAt: t.field({ type: 'DateTime', nullable: true, description: 'When the key was revoked.', resolve: ({ key }) => key.revokedAt }),
  }),
});

builder.queryFields((t) => ({
  agentKeys: t.prismaField({
    type: [AgentKey],
    authScopes: { audience: 'any', scope: 'agents:read' },
    description: 'List the keys of an agent, newest first, at most 200. Private keys are never stored, so none is shown.',
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostKeys }),
    resolve: (query, _root, { id }, ctx) => keys(ctx, id, query),
  }),
}));

builder.mutationFields((t) => ({
  provisionAuthKey: t.field({
    type: IssuedAuthKey,
    description:
      'Give an agent without an active key a new one. Send your own public key, or get a generated pair whose private key is shown once. An agent that has an active key is 409: rotate that one.',
    authScopes: { audience: 'api_key', scope: 'agents:write' },
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: ProvisionAuthKeyInput }) },
    ...facts({ errors: [NotFound, AlreadyExists, StateConflict] }),
    resolve: once((ctx, { id, input }) => provisionKey(ctx, id, input.publicKey), provisionedKey),
  }),
  rotateAuthKey: t.field({
    type: RotatedAuthKey,
    description:
      'Replace the key of an agent and end its sessions. A proof by the current key is enough and needs no credential; an API key may rotate with a reason instead. A wrong proof is 401 `signature_invalid`.',
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: RotateAuthKeyInput }) },
    ...facts({ errors: [MissingCredential, SignatureInvalid, KeyRevoked, ApiKeyRequired, AgentSuspended, NotFound, StateConflict] }),
    resolve: (_root, { id, input }, ctx) => rotateKey(ctx, { ...input, agentId: id }),
  }),
  revokeAuthKey: t.field({
    route: rest(
      'DELETE /v1/agents/{id}/auth-keys',
      'Revoke the active key of an agent. Its sessions and tokens end at once and for good; the agent signs in again only after a new key was provisioned.',
    ),
    type: RevokedAuthKey,
    authScopes: { audience: 'api_key', scope: 'agents:write' },
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => revokeKey(ctx, id), revokedKey),
  }),
}));
