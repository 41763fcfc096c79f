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

const AgentKeyStatusEnum = builder.enumType(AgentKeyStatus, { name: 'AgentKeyStatus' });
export const KeyAlgorithm = builder.enumType('KeyAlgorithm', { values: ['ed25519'] as const });

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

const AgentKey = builder.prismaObject('AgentKey', {
  description: 'An Ed25519 public key of an agent.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'AuthKeyId' }),
    publicKey: t.string({ select: { publicKey: true }, resolve: ({ publicKey }) => base64(publicKey) }),
    algorithm: t.field({ type: KeyAlgorithm, resolve: () => 'ed25519' as const }),
    status: t.expose('status', { type: AgentKeyStatusEnum }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    rotatedAt: t.expose('rotatedAt', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
  }),
});

const warningOf = ({ privateKey }: NewKey) =>
  privateKey === null
    ? 'The private key is not kept here: whoever has it signs as the agent.'
    : 'Keep this private key: it is shown once and not kept here. Whoever has it signs as the agent.';

const IssuedKey = builder.interfaceRef<NewKey>('IssuedKey').implement({
  description: 'A key that was just made.',
  fields: (t) => ({
    keyId: t.field({ type: 'AuthKeyId', resolve: ({ key }) => key.id }),
    publicKey: t.string({ description: 'Base64 of the 32 raw bytes.', resolve: ({ key }) => base64(key.publicKey) }),
    privateKey: t.exposeString('privateKey', {
      nullable: true,
      description: 'Base64 of the 64-byte NaCl secret key: the seed, then the public key. Told once, and only of a generated pair.',
      extensions: { secret: true },
    }),
    algorithm: t.field({ type: KeyAlgorithm, resolve: () => 'ed25519' as const }),
    warning: t.string({ resolve: warningOf }),
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
    previousKeyId: t.expose('previousKeyId', { type: 'AuthKeyId' }),
    sessionsRevoked: t.exposeInt('sessionsRevoked'),
  }),
});

const RevokedAuthKey = builder.objectRef<RevokedKey>('RevokedAuthKey').implement({
  description: 'A key that has ended, and the sessions that ended with it.',
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid', resolve: ({ key }) => key.agentId }),
    keyId: t.field({ type: 'AuthKeyId', resolve: ({ key }) => key.id }),
    status: t.field({ type: AgentKeyStatusEnum, resolve: ({ key }) => key.status }),
    sessionsRevoked: t.exposeInt('sessionsRevoked'),
    revokedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ key }) => key.revokedAt }),
  }),
});

builder.queryFields((t) => ({
  agentKeys: t.prismaField({
    type: [AgentKey],
    description: `The newest ${mostKeys} keys of an agent.`,
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostKeys }),
    resolve: (query, _root, { id }, ctx) => keys(ctx, id, query),
  }),
}));

builder.mutationFields((t) => ({
  provisionAuthKey: t.field({
    type: IssuedAuthKey,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: ProvisionAuthKeyInput }) },
    ...facts({ errors: [NotFound, AlreadyExists, StateConflict] }),
    resolve: once((ctx, { id, input }) => provisionKey(ctx, id, input.publicKey), provisionedKey),
  }),
  rotateAuthKey: t.field({
    type: RotatedAuthKey,
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: RotateAuthKeyInput }) },
    ...facts({ errors: [MissingCredential, SignatureInvalid, KeyRevoked, ApiKeyRequired, AgentSuspended, NotFound, StateConflict] }),
    resolve: (_root, { id, input }, ctx) => rotateKey(ctx, { ...input, agentId: id }),
  }),
  revokeAuthKey: t.field({
    route: rest('DELETE /v1/agents/{id}/auth-keys', 'Revoke the key of an agent. Ends its sessions and its tokens for good.'),
    type: RevokedAuthKey,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => revokeKey(ctx, id), revokedKey),
  }),
}));
