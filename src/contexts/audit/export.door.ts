// The audit log as a file: JSON lines, streamed page by page, however many there are (CONTRACT.md 24 "Keeping").
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import type { GuardedDoor } from '../../platform/door.js';
import { ValidationFailed } from '../../platform/errors.js';

interface AuditPage {
  data: readonly object[];
  pagination: { next_cursor?: string };
}

/** Query parameters of the list that the export takes too. */
const filters = ['since', 'until', 'actor', 'action', 'resource_type', 'resource_id'] as const;
const pageSize = '100';

// Gap G-835: The export has the newest entry first, as the list has; entries that are written meanwhile are not in it.
export const auditExport: GuardedDoor = {
  id: 'exportAuditLog',
  method: 'GET',
  path: '/v1/audit-log/export',
  audience: 'operator',
  scope: 'audit:read',
  tag: { name: 'audit' },
  summary: 'Download the audit log',
  description:
    'JSON lines: an entry of `GET /v1/audit-log` on each, the newest first, as many as there are. It takes the filters of that list. A line that is cut off is the end of an answer that broke: go on with `until`.',
  query: filters.map((name) => ({ name, description: `As in \`GET /v1/audit-log\`.` })),
  answers: { 200: { schema: z.string().describe('JSON lines.'), media: 'application/x-ndjson', description: 'The entries.' } },
  failures: [400, 429, 503],
  take: async (ctx, { query }) => {
    const asked = readFilters(query);
    // What is refused is refused before the first line.
    const first = await pageOf(ctx, asked, undefined);
    return {
      body: {},
      lines: linesOf(ctx, asked, first),
      headers: { 'Cache-Control': 'no-store', 'Content-Disposition': 'attachment; filename="audit-log.jsonl"' },
    };
  },
};

type Filters = Readonly<Record<string, string>>;

/** 400 for a parameter that is unknown, or given more than once. */
function readFilters(query: Readonly<Record<string, unknown>>): Filters {
  const issues = Object.entries(query).flatMap(([name, value]) => {
    if (!(filters as readonly string[]).includes(name))
      return [{ path: [name.slice(0, 64)], message: 'is no query parameter of this request', rule: 'unknown' }];
    return typeof value === 'string' ? [] : [{ path: [name], message: 'is given more than once', rule: 'type' }];
  });
  if (issues.length > 0) throw new ValidationFailed(issues);
  return query as Filters;
}

async function pageOf(ctx: Ctx, asked: Filters, cursor: string | undefined): Promise<AuditPage> {
  const query = { ...asked, limit: pageSize, ...(cursor !== undefined && { starting_after: cursor }) };
  return (await ctx.platform.operations.call(ctx, 'listAuditEntries', { query })) as unknown as AuditPage;
}

/** The entries, a page at a time: the next one is read when those before have been taken. */
async function* linesOf(ctx: Ctx, asked: Filters, first: AuditPage): AsyncGenerator<object> {
  for (let page = first; ; ) {
    yield* page.data;
    const { next_cursor: cursor } = page.pagination;
    if (cursor === undefined) return;
    page = await pageOf(ctx, asked, cursor);
  }
}
