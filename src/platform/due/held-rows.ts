// What a process holds of one table: rows, their lanes and workspaces, and the bytes of their jobs. All of it is bounded.
import type { ClaimedRow } from './due-rows.js';
import { Lane } from './lane.js';
import type { Places } from './share.js';
import type { DueStep } from './step.js';

/** Idle lanes that are remembered for how far ahead they may claim. */
const rememberedLanes = 1_000;

export class HeldRows {
  readonly #step: DueStep;
  readonly #lanes = new Map<string, Lane>();
  readonly #workspaces = new Map<string, number>();
  #rows = 0;
  #bytes = 0;

  constructor(step: DueStep) {
    this.#step = step;
  }

  /** Rows for which there is room. */
  get room(): number {
    return this.freeBytes <= 0 ? 0 : this.#step.concurrency - this.#rows;
  }

  /** Bytes for which there is room. */
  get freeBytes(): number {
    return (this.#step.maxBytes ?? Number.POSITIVE_INFINITY) - this.#bytes;
  }

  // Gap G-90: Of the due work that a process runs at once, one workspace has at most half.
  /** Rows of one workspace: half of the room stays for others. */
  get perWorkspace(): number {
    return Math.ceil(this.#step.concurrency / 2);
  }

  /** Without lanes of its own a table has one for each workspace, which runs what it holds. */
  get #places(): number {
    return this.#step.lane?.concurrency ?? this.perWorkspace;
  }

  lane(id: string): Lane {
    const known = this.#lanes.get(id);
    if (known !== undefined) return known;
    const lane = new Lane(this.#places);
    this.#lanes.set(id, lane);
    return lane;
  }

  hold({ lane, workspace }: ClaimedRow): void {
    this.lane(lane).hold();
    this.#workspaces.set(workspace.id, (this.#workspaces.get(workspace.id) ?? 0) + 1);
    this.#rows += 1;
  }

  letGo({ lane: id, workspace }: ClaimedRow): void {
    const lane = this.lane(id);
    lane.letGo();
    if (lane.held === 0 && this.#lanes.size > rememberedLanes) this.#lanes.delete(id);
    const others = (this.#workspaces.get(workspace.id) ?? 1) - 1;
    if (others === 0) this.#workspaces.delete(workspace.id);
    else this.#workspaces.set(workspace.id, others);
    this.#rows -= 1;
  }

  /** Counts the bytes of a job; negative when it is let go. */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  /** What is held now, for a claim: rows may be let go while it is made. */
  describe(): Places {
    const fresh = { held: 0, width: this.#places };
    const lanes = new Map([...this.#lanes].map(([id, { held, width }]) => [id, { held, width }]));
    const workspaces = new Map(this.#workspaces);
    return {
      room: this.room,
      perWorkspace: this.perWorkspace,
      ofLane: (id) => lanes.get(id) ?? fresh,
      ofWorkspace: (id) => workspaces.get(id) ?? 0,
    };
  }
}
