// What a part of a batch meets that says nothing about it, and is tried again (see G-150).
import { ApiError, DependencyUnavailable, Overloaded } from '../../platform/errors.js';
import { isSerializationFailure, isUnavailable } from '../../platform/postgres/failure.js';

/** Seconds after which what the platform could not carry out is tried again. */
export const retrySeconds = 1;

/** True for a failure that another try may not meet. Of an unavailable database nobody knows what it has done. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error instanceof Overloaded || error instanceof DependencyUnavailable;
  return isUnavailable(error) || isSerializationFailure(error);
}

/** What a caller is told of a failure that is ours. */
export const internalFailure = { code: 'internal_error', message: 'Something went wrong on our side; nothing was moved.', details: {} };
