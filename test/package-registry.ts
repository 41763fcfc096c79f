// A registry of this machine for packages that are not published: it has theirs, and sends npm to the real one for all others.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A package, as `npm pack` has written it. */
export interface Packed {
  manifest: { name: string; version: string };
  content: Buffer;
}

/** Serves packages until `close` is called. `beyond` is the registry of all others. */
export async function openRegistry(packages: readonly Packed[], beyond: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? '/').slice(1);
    const file = packages.find(({ manifest }) => asked === `${manifest.name}/-/package.tgz`);
    const found = packages.find(({ manifest }) => asked === manifest.name);
    if (file !== undefined) response.end(file.content);
    else if (found !== undefined) response.setHeader('Content-Type', 'application/json').end(JSON.stringify(packument(found, url)));
    else response.writeHead(302, { Location: new URL(`.${request.url}`, beyond).href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, close: () => void server.close() };
}

/** What a registry says of a package with one version. */
function packument({ manifest, content }: Packed, url: string): object {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const dist = { tarball: `${url}${name}/-/package.tgz`, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
