// How large the body of a request may be, in bytes (CONTRACT.md 0 "Bodies").

export const bodyLimit = 256 * 1024;
/** For a root field whose facts say `batch`. */
export const batchBodyLimit = 4 * 1024 * 1024;
