// How room is shared: evenly between workspaces, then between the lanes of each, and in the turn of the lanes where it is not enough.
import { type DueLane, firstLane } from './due-lanes.js';

/** What a process holds of a table, and what it has room for. */
export interface Places {
  /** Rows that it has room for. */
  room: number;
  /** Rows of one workspace that it may hold. */
  perWorkspace: number;
  /** Rows of a lane that it holds, and that it may hold. */
  ofLane: (id: string) => { held: number; width: number };
  /** Rows of a workspace that it holds. */
  ofWorkspace: (id: string) => number;
}

export interface Share {
  /** How many rows are to be claimed of each lane; lanes that get none are left out. */
  shares: ReadonlyMap<DueLane, number>;
  /** The lane after which lanes get their turn next time. */
  cursor: string;
}

/**
 * Gives the room to lanes with due rows. The next place goes to the workspace that has the fewest, and there to the lane that has the
 * fewest; those after the cursor come first. A lane that is full, or that another process has, gets nothing.
 */
export function shareRoom(lanes: readonly DueLane[], places: Places, cursor: string, leftAfter: string | null): Share {
  const open = lanes.filter(({ id, leased }) => isOpen(places.ofLane(id), leased)).sort((a, b) => compareTurns(a.id, b.id, cursor));
  const turns = new Map<string, Iterator<DueLane>>();
  for (const [id, its] of byWorkspace(open)) {
    const turn = inTurn(
      its,
      (lane) => places.ofLane(lane.id).held,
      (lane) => places.ofLane(lane.id).width,
    );
    turns.set(id, turn);
  }
  const shares = new Map<DueLane, number>();
  let { room } = places;
  const mostOf = (workspace: string) => (room > 0 && turns.has(workspace) ? places.perWorkspace : 0);
  for (const workspace of inTurn([...turns.keys()], places.ofWorkspace, mostOf)) {
    const lane = turns.get(workspace)?.next().value;
    if (lane === undefined) {
      turns.delete(workspace);
      continue;
    }
    shares.set(lane, (shares.get(lane) ?? 0) + 1);
    room -= 1;
  }
  return { shares, cursor: nextCursor(open, shares, cursor, leftAfter) };
}

function isOpen({ held, width }: { held: number; width: number }, leased: number): boolean {
  return held < width && leased <= held;
}

/** Those after the cursor come first. */
function compareTurns(a: string, b: string, cursor: string): number {
  return Number(a <= cursor) - Number(b <= cursor) || (a < b ? -1 : 1);
}

function byWorkspace(lanes: readonly DueLane[]): Map<string, DueLane[]> {
  const found = new Map<string, DueLane[]>();
  for (const lane of lanes) {
    const others = found.get(lane.workspace.id);
    if (others === undefined) found.set(lane.workspace.id, [lane]);
    else others.push(lane);
  }
  return found;
}

/** Yields whose turn it is for one more: each time the first of those that have the fewest, until each has the most that it may have. */
function* inTurn<T>(all: readonly T[], hasOf: (one: T) => number, mostOf: (one: T) => number): Generator<T, undefined> {
  const has = new Map(all.map((one) => [one, hasOf(one)]));
  for (let level = 0, left = true; left; level += 1) {
    left = false;
    for (const [one, count] of has) {
      if (level >= mostOf(one)) continue;
      left = true;
      if (level >= count) yield one;
    }
  }
  return undefined;
}

/**
 * When every open lane got something, the turn goes on after those that were visited; else after the last that got something. Lanes
 * that were found by the time of their rows alone do not count where others were visited in turn.
 */
function nextCursor(open: readonly DueLane[], shares: ReadonlyMap<DueLane, number>, cursor: string, leftAfter: string | null): string {
  if (shares.size === open.length) return leftAfter ?? firstLane;
  const visited = open.some(({ inTurn }) => inTurn);
  const served = open.filter((lane) => shares.has(lane) && (lane.inTurn || !visited));
  return served.at(-1)?.id ?? cursor;
}
