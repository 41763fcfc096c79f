// The version of ACP that is spoken here, and what is said of one that is not.
import { ApiError } from '../../platform/errors.js';

/** The one version that is served. */
export const acpVersion = '2026-04-17';

/** 400 with the versions that are served. */
export class ApiVersionRefused extends ApiError {
  constructor(given: string) {
    const code = given === '' ? 'missing_api_version' : 'unsupported_api_version';
    super(400, code, `Send \`API-Version: ${acpVersion}\`.`, {
      fields: [{ path: ['API-Version'], message: given === '' ? 'is required' : 'is not served', rule: code }],
    });
  }
}

/** Throws 400 unless the header names the version that is served. */
export function checkAcpVersion(given: string): void {
  if (given !== acpVersion) throw new ApiVersionRefused(given);
}
