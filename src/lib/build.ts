/** Set by the build with `--define`; in development read from the sources. */
declare const QUERN_VERSION: string | undefined;
declare const QUERN_BUILD: string | undefined;

/** The program's version, from package.json. */
export const VERSION: string = typeof QUERN_VERSION === "string" ? QUERN_VERSION : "0.0.0-development";

/** Changes with every build, so that clients do not reuse cache entries of an older one. */
export const BUILD: string = typeof QUERN_BUILD === "string" ? QUERN_BUILD : `development-${Date.now()}`;

/** True in the executable, false when running from the sources. */
export const IS_EXECUTABLE: boolean = typeof QUERN_BUILD === "string";

/** The API version of the OpenAPI document. */
export const API_VERSION = "1.0.1";
