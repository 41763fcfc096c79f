// GET /console: what its page and its files are served with.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useHarness } from './harness.js';

const h = useHarness();
execFileSync(process.execPath, [path.join(import.meta.dirname, '..', 'scripts', 'build.mjs'), '--console']);

describe('GET /', () => {
  it('is a page for a browser, with its links, and JSON that says the same for others', async () => {
    const served = await fetch(h.test.url, { headers: { accept: 'text/html,application/xhtml+xml' } });
    const html = await served.text();
    expect([served.status, served.headers.get('vary')]).toEqual([200, expect.stringContaining('Accept')]);
    expect(served.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
    // An empty icon is asked of nobody.
    const links = [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, link = '']) => link);
    const plain = (await (await fetch(h.test.url)).json()) as { environment: string; links: Record<string, string> };
    expect(plain.environment).toBe('sandbox');
    expect(links).toEqual([expect.stringMatching(/^\/assets\/home\.[0-9a-f]{16}\.css$/), ...Object.values(plain.links)]);
    for (const link of links.filter((each) => each !== '/mcp'))
      expect([link, (await fetch(h.test.url + link, { headers: { accept: 'text/html' } })).status]).toEqual([link, 200]);
    expect((await fetch(`${h.test.url}/assets/home.0000000000000000.css`)).status).toBe(404);
  });
});

describe('GET /console', () => {
  it('is served whole from here, under a policy that lets nothing else run', async () => {
    const served = await fetch(`${h.test.url}/console/agents`);
    const html = await served.text();
    expect([served.status, served.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const policy = served.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      const asset = await fetch(h.test.url + file);
      expect([file, asset.status, asset.headers.get('cache-control')]).toEqual([file, 200, 'public, max-age=31536000, immutable']);
    }
    expect((await fetch(`${h.test.url}/console/assets/..%2Findex.html`)).status).toBe(404);
  });
});
