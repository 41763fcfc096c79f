// What a key may do.

/** Everything: the only scope so far. */
export const fullScope = '*';
