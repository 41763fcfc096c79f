// docs/mcp.md against the code: it lists every tool as it is, and no other.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allTools } from '../../src/mcp/catalog.js';

it('docs/mcp.md lists the tools', () => {
  const text = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
  const printed = text.slice(text.indexOf('| tool | for |')).trimEnd().split('\n').slice(2);
  const effectOf = ({ effect }: (typeof allTools)[number]) => (effect.readOnly ? 'reads' : effect.destructive ? 'commits' : 'changes');
  const rows = allTools.map((tool) => {
    const needs = tool.needs ?? 'always';
    return `| \`${tool.name}\` | ${tool.audience} | ${needs} | ${effectOf(tool)} | ${tool.title} |`;
  });
  expect(printed).toEqual(rows);
});
