// Which requests are for a shop: those whose Host is one's. Our own hosts are known without asking, and come first; a host of nobody is ours, as
// ever, for a machine has names that nobody has told us (decision 0088).
import type { ShopOrigin } from '../platform/door.js';
import { isOwnName, readHost } from '../platform/own-host.js';
import { compose } from './chain.js';
import type { Handler } from './state.js';

export interface HostOptions {
  /** Names by which the platform itself is reached. */
  own: ReadonlySet<string>;
  /** The shop of a host, where it is known whose that is: null for nobody's, undefined where it has to be asked for. */
  peek: (host: string) => ShopOrigin | null | undefined;
  find: (host: string) => Promise<ShopOrigin | null>;
  /** What a request passes before it costs a question whose host it called. */
  before: readonly Handler[];
  /** What serves our own hosts, and what serves those of shops. */
  ours: Handler;
  shops: Handler;
}

/** Host headers that are known to be ours. */
const mostKept = 64;

/** Sends each request to the shop whose host it names, else to the platform. */
export function routeHosts({ own, peek, find, before, ours, shops }: HostOptions): Handler {
  const known = new Set<string>();
  const look = compose([
    ...before,
    async (http, next) => {
      http.state.isBegun = true;
      const { host } = readHost(http.req.headers.host ?? '') ?? { host: '' };
      return serve(await find(host))(http, next);
    },
  ]);
  const serve =
    (shop: ShopOrigin | null): Handler =>
    (http, next) => {
      if (shop === null) return ours(http, next);
      http.state.shop = shop;
      return shops(http, next);
    };
  return (http, next) => {
    const header = http.req.headers.host ?? '';
    if (known.has(header)) return ours(http, next);
    const read = readHost(header);
    if (read === null || isOwnName(read.name, own)) {
      if (known.size < mostKept) known.add(header);
      return ours(http, next);
    }
    const shop = peek(read.host);
    if (shop !== undefined) return serve(shop)(http, next);
    http.state.route = 'unknown';
    http.state.rateClass = 'general';
    return look(http, next);
  };
}
