// The timeline of an agent: its logins and credentials, what was decided of its spends, its transfers, tasks and approvals, merged by time
// (CONTRACT.md 5). Ids begin with their time, so each source gives its newest ids by index, and a page is cut from what they gave.
import { nouns } from '../../manifest/noun.js';
import type { Happening, Stretch, TimelineKind, TimelineSource } from '../../manifest/timeline.js';
import type { Ctx } from '../../platform/ctx.js';
import { hasScope } from '../../platform/schema/audience.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { countedTo, firstIdAt, type Page, type PageInput, readPage, type Source } from '../../platform/schema/page.js';
import { namedAgent } from '../agents/agent.js';

/** Something that happened, with its kind. */
export interface TimelineEntry extends Happening {
  kind: TimelineKind;
}

/** What happened to an agent or by it, newest first. 404 for an unknown one. */
export async function timeline(ctx: Ctx, agentId: string, input: PageInput): Promise<Page<TimelineEntry>> {
  await namedAgent(ctx, agentId);
  const { since, until } = input;
  const stretch: Stretch = { agentId, from: since ? firstIdAt(since) : undefined, below: until ? firstIdAt(until) : undefined };
  const open = ctx.platform.extensions.of(nouns).filter(({ scope }) => scope !== undefined && hasScope(ctx.actor, scope));
  const sources = open.flatMap((noun) => noun.timeline ?? []);
  const source: Source<TimelineEntry> = {
    async read({ after, skip, take }) {
      const window = { after, skip: 0, take: skip + take };
      const found = await Promise.all(sources.map((each) => each.ids(ctx, stretch, window)));
      const all = found.flatMap((ids, n) => ids.map((id) => ({ id, source: sources[n] as TimelineSource })));
      const shown = all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(skip, skip + take);
      const loaded = await Promise.all(sources.map((each) => loadOf(ctx, each, shown)));
      const byId = new Map(loaded.flat().map((each) => [each.id, each]));
      return shown.flatMap(({ id }) => byId.get(id) ?? []);
    },
    async count(most) {
      const counts = await Promise.all(sources.map((each) => countedTo(most, (take) => each.count(ctx, stretch, take))));
      const sum = counts.reduce((total, { count }) => total + count, 0);
      return { count: Math.min(sum, most), isMinimum: sum > most || counts.some(({ isMinimum }) => isMinimum) };
    },
    parse: parseAnyId,
  };
  return readPage(ctx, `timeline ${agentId}`, source, input);
}

/** What a source says of those of its things that are shown. */
async function loadOf(
  ctx: Ctx,
  source: TimelineSource,
  shown: readonly { id: string; source: TimelineSource }[],
): Promise<TimelineEntry[]> {
  const own = shown.filter((each) => each.source === source).map(({ id }) => id);
  const happenings = own.length === 0 ? [] : await source.load(ctx, own);
  return happenings.map((each) => ({ ...each, kind: source.kind }));
}
