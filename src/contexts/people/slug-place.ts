// Which tenant of the installation has a slug, as the directory has it: of every cell, so that no two tenants have the same one. It is claimed
// before the cell has it; what a crash leaves between is ended by a sweep, which asks the cell.
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';

const placesOf = ({ cells }: Platform) => cells.directory.database.unscoped.slugPlace;

/** The cell of the tenant that is called so; undefined where the directory does not have it. */
export async function cellOfSlug(platform: Platform, slug: string): Promise<string | undefined> {
  const select = { tenant: { select: { cellName: true } } };
  return (await placesOf(platform).findUnique({ where: { slug }, select }))?.tenant.cellName;
}

/** Claims what a tenant will be called, null for nothing. False where another tenant has it. What it was called is pending until it is settled. */
export async function claimSlug(platform: Platform, tenantId: string, slug: string | null): Promise<boolean> {
  const places = placesOf(platform);
  const pendingSince = platform.clock.now();
  if (slug !== null) {
    const { count } = await places.createMany({ data: [{ slug, tenantId, pendingSince }], skipDuplicates: true });
    if (count === 0 && (await places.findUnique({ where: { slug } }))?.tenantId !== tenantId) return false;
  }
  await places.updateMany({ where: { tenantId, ...isOther(slug) }, data: { pendingSince } });
  return true;
}

/** The cell has written what its tenant is called. */
export async function settleSlug(platform: Platform, tenantId: string, slug: string | null): Promise<void> {
  const places = placesOf(platform);
  await places.deleteMany({ where: { tenantId, ...isOther(slug) } });
  if (slug !== null) await places.updateMany({ where: { slug, tenantId }, data: { pendingSince: null } });
}

const isOther = (slug: string | null) => (slug === null ? {} : { slug: { not: slug } });

/** Longer than any request may take: as for credentials (G-545). */
const settledSeconds = 60;

/** Settles what is pending for tenants of the cell of the platform, as the cell has it; how many. For the worker. */
export async function sweepSlugs(platform: Platform, most = 1_000): Promise<number> {
  const { cell, clock, database } = platform;
  const places = placesOf(platform);
  const pendingSince = { lte: addSeconds(clock.now(), -settledSeconds) };
  const pending = await places.findMany({ where: { pendingSince, tenant: { cellName: cell } }, take: most });
  if (pending.length === 0) return 0;
  const where = { tenantId: { in: pending.map(({ tenantId }) => tenantId) } };
  const settings = await database.unscoped.signInSetting.findMany({ where, select: { slug: true, tenantId: true } });
  const had = new Map(settings.map(({ slug, tenantId }) => [tenantId, slug]));
  const isTrue = ({ slug, tenantId }: { slug: string; tenantId: string }) => had.get(tenantId) === slug;
  const slugsOf = (rows: typeof pending) => ({ slug: { in: rows.map(({ slug }) => slug) }, pendingSince });
  await places.updateMany({ where: slugsOf(pending.filter(isTrue)), data: { pendingSince: null } });
  await places.deleteMany({ where: slugsOf(pending.filter((row) => !isTrue(row))) });
  return pending.length;
}
