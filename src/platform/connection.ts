// What providers serve in each environment, by name: rails, card networks, chains.
import type { Environment } from './ctx.js';
import { ExtensionPoint } from './extension.js';

/** A provider, and where it serves. */
export interface Connection<Provider> {
  environment: Environment;
  name: string;
  provider: Provider;
}

/** The providers of one kind. */
export class Connections<Provider> {
  readonly #providers = new Map<string, Provider>();

  constructor(connections: readonly Connection<Provider>[]) {
    for (const connection of connections) this.connect(connection);
  }

  /** Connects a provider. What was connected under its name in that environment before is replaced. */
  connect({ environment, name, provider }: Connection<Provider>): void {
    this.#providers.set(`${environment} ${name}`, provider);
  }

  /** The provider of a name in the environment of a workspace; undefined where nobody serves it. */
  of({ environment }: { environment: Environment }, name: string): Provider | undefined {
    return this.#providers.get(`${environment} ${name}`);
  }

  /** All providers in the environment of a workspace, in the order in which they were connected. */
  in({ environment }: { environment: Environment }): Provider[] {
    return [...this.#providers].filter(([key]) => key.startsWith(`${environment} `)).map(([, provider]) => provider);
  }
}

/** An extension point for providers of one kind. */
export function connections<Provider>(name: string): ExtensionPoint<readonly Connection<Provider>[], Connections<Provider>> {
  return new ExtensionPoint<readonly Connection<Provider>[], Connections<Provider>>(name, (parts) => new Connections(parts.flat()));
}
