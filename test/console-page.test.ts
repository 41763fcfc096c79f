// GET /console: what its page and its files are served with.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useHarness } from './harness.js';

const h = useHarness();
execFileSync(process.execPath, [path.join(import.meta.dirname, '..', 'scripts', 'build.mjs'), '--console']);

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
