// How the due engine shares room (src/platform/due/share.ts): by examples, and for any lanes by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DueLane, firstLane } from '../../../src/platform/due/due-lanes.js';
import { type Places, shareRoom } from '../../../src/platform/due/share.js';
import { laneOf } from './errand.js';

interface Given {
  workspace: string;
  held?: number;
  width?: number;
  leased?: number;
  inTurn?: boolean;
}

/** Lanes 1, 2, 3 and so on. What a process holds of a lane is leased, unless `leased` says more. */
function lanesOf(given: readonly Given[]): DueLane[] {
  return given.map(({ workspace, held = 0, leased = held, inTurn = false }, index) => ({
    id: laneOf(index + 1),
    workspace: { id: workspace, tenantId: workspace, environment: 'test', clockOffsetMs: 0 },
    leased,
    inTurn,
  }));
}

function placesOf(given: readonly Given[], room: number, perWorkspace: number): Places {
  const lanes = new Map(given.map(({ held = 0, width = 10 }, index) => [laneOf(index + 1), { held, width }]));
  return {
    room,
    perWorkspace,
    ofLane: (id) => lanes.get(id) ?? { held: 0, width: 10 },
    ofWorkspace: (id) => given.reduce((sum, { workspace, held = 0 }) => sum + (workspace === id ? held : 0), 0),
  };
}

/** What each lane gets, in their order, and where the turn goes on. */
function share(given: readonly Given[], room: number, perWorkspace: number, cursor = firstLane, leftAfter: string | null = null) {
  const lanes = lanesOf(given);
  const found = shareRoom(lanes, placesOf(given, room, perWorkspace), cursor, leftAfter);
  return { got: lanes.map((lane) => found.shares.get(lane) ?? 0), cursor: found.cursor };
}

describe('room', () => {
  it('is shared between workspaces before lanes', () => {
    expect(share([{ workspace: 'a' }, { workspace: 'a' }, { workspace: 'a' }, { workspace: 'b' }], 8, 8).got).toEqual([2, 1, 1, 4]);
  });

  it('goes first to the workspace and the lane that hold the fewest', () => {
    const given = [{ workspace: 'a', held: 4 }, { workspace: 'a' }, { workspace: 'b' }];
    expect(share(given, 6, 100).got).toEqual([0, 1, 5]);
  });

  it('is not given to lanes that are full or that another process has', () => {
    const given = [{ workspace: 'a', held: 10 }, { workspace: 'a', held: 2, leased: 3 }, { workspace: 'a' }];
    expect(share(given, 100, 100).got).toEqual([0, 0, 10]);
  });

  it('of one workspace ends at its bound', () => {
    expect(share([{ workspace: 'a', held: 3 }, { workspace: 'a' }], 100, 5).got).toEqual([0, 2]);
  });
});

describe('the turn of the lanes', () => {
  const four = [{ workspace: 'a' }, { workspace: 'a' }, { workspace: 'a' }, { workspace: 'a' }];

  it('goes on after the last that got something, and begins again after the last of all', () => {
    expect(share(four, 2, 100)).toEqual({ got: [1, 1, 0, 0], cursor: laneOf(2) });
    expect(share(four, 3, 100, laneOf(2))).toEqual({ got: [1, 0, 1, 1], cursor: laneOf(1) });
    expect(share(four, 4, 100, laneOf(2)).cursor).toBe(firstLane);
  });

  it('goes on after those that were visited when each got something', () => {
    expect(share(four, 8, 100, firstLane, laneOf(9)).cursor).toBe(laneOf(9));
  });

  it('does not jump to a lane that was found by its time alone', () => {
    const given = [{ workspace: 'a', inTurn: true }, { workspace: 'a', inTurn: true }, { workspace: 'b' }];
    expect(share(given, 2, 100)).toEqual({ got: [1, 0, 1], cursor: laneOf(1) });
  });

  it('stays where it is when nothing can be given', () => {
    expect(share(four, 0, 100, laneOf(3))).toEqual({ got: [0, 0, 0, 0], cursor: laneOf(3) });
  });
});

it('for any lanes the bounds hold, no place is left that somebody could have, and nobody gets more while another has less', () => {
  const lane = fc.record({
    workspace: fc.constantFrom('a', 'b', 'c'),
    held: fc.integer({ min: 0, max: 6 }),
    width: fc.integer({ min: 1, max: 6 }),
  });
  const cases = fc.tuple(fc.array(lane, { maxLength: 20 }), fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), fc.nat(20));
  fc.assert(
    fc.property(cases, ([given, room, perWorkspace, after]) => {
      const { got } = share(given, room, perWorkspace, laneOf(after));
      const total = got.reduce((sum, count) => sum + count, 0);
      const hasOf = (id: string) => given.reduce((sum, { workspace, held }, n) => sum + (workspace === id ? held + (got[n] ?? 0) : 0), 0);
      const couldHave = (n: number) => (given[n]?.held ?? 0) + (got[n] ?? 0) < (given[n]?.width ?? 0);
      expect(total).toBeLessThanOrEqual(room);
      for (const [n, { workspace, held, width }] of given.entries()) {
        const mine = got[n] ?? 0;
        if (mine > 0) expect(held + mine).toBeLessThanOrEqual(width);
        if (mine > 0) expect(hasOf(workspace)).toBeLessThanOrEqual(perWorkspace);
        if (!couldHave(n) || hasOf(workspace) >= perWorkspace) continue;
        expect(total).toBe(room);
        for (const [other, rival] of given.entries()) {
          if (got[other] === 0) continue;
          if (rival.workspace === workspace) expect(rival.held + (got[other] ?? 0)).toBeLessThanOrEqual(held + mine + 1);
          else expect(hasOf(rival.workspace)).toBeLessThanOrEqual(hasOf(workspace) + 1);
        }
      }
    }),
  );
});
