// How the trigger transaction_count counts: every so many transfers, or as soon as so many lie within a window.

/** What was counted since the trigger last fired. With a window the times are kept, and only those that still matter. */
export interface Count {
  counted: number;
  recent: readonly Date[];
}

/** What a trigger counts to, and the seconds within which. */
export interface CountTo {
  count: number;
  withinWindow?: number | undefined;
}

// Gap G-202: Completed transfers of the wallet count, except those of rules; every `count`-th, or `count` within the window.
/** Counts one more. After it has fired it counts from the beginning. */
export function countOne({ counted, recent }: Count, at: Date, { count, withinWindow }: CountTo): Count & { fires: boolean } {
  if (withinWindow === undefined) {
    const fires = counted + 1 >= count;
    return { counted: fires ? 0 : counted + 1, recent: [], fires };
  }
  const near = [...recent.filter((time) => at.getTime() - time.getTime() <= withinWindow * 1000), at];
  const fires = near.length >= count;
  return { counted: 0, recent: fires ? [] : near, fires };
}
