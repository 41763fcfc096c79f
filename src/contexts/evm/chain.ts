// A chain that money goes over, as this process works on it: its nodes, its token, and the keys that sign, which are opened when a worker needs
// them and not before.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Platform } from '../../platform/ctx.js';
import { readPrivateFile, readSecret, type SecretPlace, type SecretRef } from '../rails/secret.js';
import type { ChainAddress } from '../x402/chain/address.js';
import type { TokenDomain } from '../x402/chain/transfer-authorization.js';
import { accountXpub, depositAddresses, depositKeys } from './evm.js';
import { chainOfSetting, type EvmSetting, type KeySetting, type KeystoreSetting } from './evm-setting.js';
import { type Key, localKey, remoteKey } from './key.js';
import { openKeystore } from './keystore.js';
import { disagreements, rpcFailures } from './metric.js';
import { type Depth, Nodes } from './nodes.js';
import { RpcUrl } from './rpc.js';

/** The two sides that sign on a chain. */
export interface Signers {
  treasury: Key;
  relayers: readonly Key[];
}

/** Tells the key of each wallet's address. */
type WalletKeys = (walletId: string) => Key;

/** A chain of the file. */
export class EvmChain {
  readonly rail: string;
  readonly setting: EvmSetting;
  readonly chainId: bigint;
  /** The network, as CAIP-2 names it. */
  readonly network: string;
  readonly token: ChainAddress;
  /** What signatures are for. */
  readonly domain: TokenDomain;
  readonly quorum: number;
  /** Tells the address of each wallet; null where the file says nothing of deposits. */
  readonly depositAddress: ((walletId: string) => ChainAddress) | null;
  readonly #place: SecretPlace;
  readonly #nodes = new WeakMap<Platform['outbound'], Promise<Nodes>>();
  #signers: Promise<Signers> | undefined;
  #walletKeys: Promise<WalletKeys> | undefined;

  constructor(rail: string, setting: EvmSetting, place: SecretPlace) {
    const { chainId, token } = chainOfSetting(setting);
    this.rail = rail;
    this.setting = setting;
    this.chainId = chainId;
    this.network = `eip155:${chainId}`;
    this.token = token.address;
    this.domain = { name: token.name, version: token.version, chainId, verifyingContract: token.address };
    this.quorum = setting.quorum ?? (setting.rpc.length === 1 ? 1 : 2);
    this.depositAddress = setting.deposits === undefined ? null : depositAddresses(setting.deposits.xpub);
    this.#place = place;
  }

  /** How deep a block lies that money is booked by. */
  get credit(): Depth {
    return this.setting.confirmations.credit;
  }

  /** Its nodes. Throws one sentence where a URL cannot be read. */
  nodes(platform: Platform): Promise<Nodes> {
    const opened = this.#nodes.get(platform.outbound) ?? this.#openNodes(platform);
    this.#nodes.set(platform.outbound, opened);
    opened.catch(() => this.#nodes.delete(platform.outbound));
    return opened;
  }

  async #openNodes(platform: Platform): Promise<Nodes> {
    const urls = await Promise.all(this.setting.rpc.map((url) => this.#url(platform, url)));
    return new Nodes({ urls, quorum: this.quorum, onDisagreement: () => disagreements.inc({ rail: this.rail }) });
  }

  async #url({ outbound, clock }: Platform, given: string | SecretRef): Promise<RpcUrl> {
    const url = typeof given === 'string' ? given : await readSecret(given, this.#place);
    if (!URL.canParse(url)) throw new Error('a secret that is to be the URL of a node is none');
    const onFailure = ({ kind }: { kind: string }) => rpcFailures.inc({ rail: this.rail, kind });
    return new RpcUrl({ url, outbound, clock, onFailure });
  }

  /** The keys. Throws one sentence where one cannot be opened. Takes seconds the first time. */
  signers(platform: Platform): Promise<Signers> {
    this.#signers ??= this.#openSigners(platform);
    this.#signers.catch(() => {
      this.#signers = undefined;
    });
    return this.#signers;
  }

  async #openSigners(platform: Platform): Promise<Signers> {
    const treasury = await this.#key(platform, this.setting.treasury);
    const relayers: Key[] = [];
    for (const each of this.setting.relayers) relayers.push(await this.#key(platform, each));
    if (relayers.some(({ address }) => address === treasury.address))
      throw new Error('the treasury is a relayer too: the money and the gas have keys of their own');
    return { treasury, relayers };
  }

  async #key(platform: Platform, setting: KeySetting): Promise<Key> {
    if ('remote' in setting) return remoteKey(await this.#url(platform, setting.remote), setting.address);
    return localKey(await this.#secretOf(setting));
  }

  /** Tells the key of each wallet's address. Throws one sentence where the seed does not open, or is that of another xpub. */
  walletKeys(): Promise<WalletKeys> {
    this.#walletKeys ??= this.#openWalletKeys();
    this.#walletKeys.catch(() => {
      this.#walletKeys = undefined;
    });
    return this.#walletKeys;
  }

  async #openWalletKeys(): Promise<WalletKeys> {
    const { deposits } = this.setting;
    if (deposits === undefined) throw new Error('the file says nothing of deposits');
    const seed = await this.#secretOf(deposits.key);
    if (accountXpub(seed) !== deposits.xpub)
      throw new Error('the xpub of deposits is not that of its seed: nobody could sweep what is sent there');
    const keyOf = depositKeys(seed);
    return (walletId) => localKey(keyOf(walletId));
  }

  async #secretOf({ keystore, password }: KeystoreSetting): Promise<Uint8Array> {
    const file = path.resolve(this.#place.folder, keystore);
    return openKeystore(await readPrivateFile(file), await readSecret(password, this.#place));
  }

  /** The addresses of its keys, as far as the file and the keystores show them without a password. */
  async shownAddresses(): Promise<ChainAddress[]> {
    const shown = await Promise.all([this.setting.treasury, ...this.setting.relayers].map((each) => this.#shownAddress(each)));
    return shown.filter((address) => address !== null);
  }

  async #shownAddress(setting: KeySetting): Promise<ChainAddress | null> {
    if ('remote' in setting) return setting.address;
    const text = await readFile(path.resolve(this.#place.folder, setting.keystore), 'utf8').catch(() => '');
    const [, digits] = /"address"\s*:\s*"(?:0x)?([0-9a-fA-F]{40})"/.exec(text) ?? [];
    return digits === undefined ? null : `0x${digits.toLowerCase()}`;
  }
}
