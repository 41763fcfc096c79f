// A card network: what hears the instructions of agents, and answers them. What a provider has to offer is the interface; docs/rails.md
// says how one is written (CONTRACT.md 14).
import type { CardInstructionType } from '../../../generated/prisma/client.js';
import { connections } from '../../../platform/connection.js';
import type { Ctx, Environment } from '../../../platform/ctx.js';
import { ValidationFailed } from '../../../platform/errors.js';
import type { OrderMessage } from '../../settlement/rail/submission.js';
import { type CardNetworkName, cardNetworks, isCardNetwork } from '../../transfers/rail.js';
import { NetworkNotEnrolled } from '../errors.js';
import { directoryPath, ownOrigin } from '../verification/key-directory.js';

/** What a network is told. */
export interface NetworkOrder extends OrderMessage {
  type: CardInstructionType;
  /** That of the authorization which is called off or refunded. */
  original: string | null;
  /** Minor units; null for a cancellation. */
  amount: bigint | null;
  currency: string | null;
  /** Whom an authorization pays. */
  merchantRef: string | null;
  /** What the caller has to tell the network. */
  payload: Readonly<Record<string, unknown>>;
}

/**
 * What a network says of a message. `received`: it will know at about that time. `cancelled`: an authorization that was called off.
 * `missing`: it has no message of this reference, and of an expired one never will. `unknown`: nobody can tell now; a network that throws,
 * or says nothing for ten seconds, has said this.
 */
export type NetworkAnswer =
  | { state: 'received'; expectedAt: Date }
  | { state: 'approved'; code: string }
  | { state: 'declined' | 'failed'; code: string; reason: string }
  | { state: 'cancelled' | 'missing' | 'unknown' };

/** A network, as its provider serves it. */
export interface CardNetwork {
  name: CardNetworkName;
  /** Tells it something. It is called once for a reference that is stored already. */
  submit(ctx: Ctx, order: NetworkOrder): Promise<NetworkAnswer>;
  /** What has become of the message of a reference. */
  status(ctx: Ctx, reference: string): Promise<NetworkAnswer>;
}

/** What the networks call that they take payments of agents. */
const programs: Readonly<Record<CardNetworkName, string>> = { visa: 'Trusted Agent Protocol', mastercard: 'Agent Pay' };
const capabilities = ['verify', 'authorize', 'cancel', 'refund'] as const;

/** The networks that are connected: every workspace of their environment is enrolled with them. */
export const networks = connections<CardNetwork>('card networks');

type Served = Pick<Ctx, 'platform' | 'workspace'>;

/** The network of a name in the environment of the workspace, if a provider serves it. */
export function cardNetworkOf({ platform, workspace }: Served, name: string): CardNetwork | undefined {
  return platform.extensions.of(networks).of(workspace, name);
}

/** The network that a path names: 400 for a name that is none, 422 `unsupported_network` for one that nobody is enrolled with. */
export function enrolledNetwork(ctx: Served, name: string): CardNetworkName {
  if (!isCardNetwork(name))
    throw new ValidationFailed([{ path: ['network'], message: `must be one of ${cardNetworks.join(', ')}`, rule: 'enum' }]);
  if (cardNetworkOf(ctx, name) === undefined) throw new NetworkNotEnrolled(name);
  return name;
}

/** The first network that the workspace is enrolled with; null for none. */
export function firstNetwork(ctx: Served): CardNetworkName | null {
  return cardNetworks.find((name) => cardNetworkOf(ctx, name) !== undefined) ?? null;
}

/** How a workspace stands with a network. */
export interface NetworkEnrollment {
  network: CardNetworkName;
  program: string;
  status: 'enrolled' | 'not_enrolled';
  environment: Environment;
  capabilities: readonly string[];
  keyDirectoryUrl: string;
  enrolledAt: Date | null;
}

// Gap G-236: A workspace is enrolled from its beginning where the network is connected.
/** How the workspace stands with every network: enrolled from its beginning where the network is connected. */
export async function networkEnrollments(ctx: Ctx): Promise<NetworkEnrollment[]> {
  const { environment, id } = ctx.workspace;
  const { createdAt } = await ctx.db.workspace.findFirstOrThrow({ where: { id }, select: { createdAt: true } });
  const origin = ownOrigin(ctx.platform.config, environment) ?? '';
  return cardNetworks.map((network) => {
    const isEnrolled = cardNetworkOf(ctx, network) !== undefined;
    return {
      network,
      program: programs[network],
      status: isEnrolled ? 'enrolled' : 'not_enrolled',
      environment,
      capabilities: isEnrolled ? capabilities : [],
      keyDirectoryUrl: `${origin}${directoryPath}`,
      enrolledAt: isEnrolled ? createdAt : null,
    };
  });
}
