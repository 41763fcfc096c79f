// One row of a scoped table: its primary key, and its lock. Every primary key begins with the workspace.
import type { Ctx } from '../ctx.js';
import { NotFound } from '../errors.js';

/** The primary key of a row in the workspace of `ctx`, for the `where` of an update. */
export function rowKey({ workspace }: Pick<Ctx, 'workspace'>, id: string): { workspaceId_id: { workspaceId: string; id: string } } {
  return { workspaceId_id: { workspaceId: workspace.id, id } };
}

/** What a lock needs of a Prisma model of a transaction, such as `tx.wallet`. */
interface Lockable<Row> {
  updateManyAndReturn(args: { where: { id: string }; data: { id: string } }): PromiseLike<Row[]>;
}

interface LockOptions {
  where?: object;
  /** Member of the input that names the row. */
  field?: string;
}

/**
 * Locks a row and returns it, so that two changes of one row follow each other. `where` says more about the row than its id.
 * 404 `not_found` when there is none, with the member of the input that named it, if it was not the path.
 * The update changes nothing: Prisma has no SELECT ... FOR UPDATE.
 */
export async function lockRow<Row>(model: Lockable<Row>, id: string, { where = {}, field }: LockOptions = {}): Promise<Row> {
  const [row] = await model.updateManyAndReturn({ where: { ...where, id }, data: { id } });
  if (row === undefined) throw field === undefined ? new NotFound() : new NotFound(field);
  return row;
}
