/** Set by the build with `--define`; in development the sources speak for themselves. */
declare const QUERN_VERSION: string | undefined;
declare const QUERN_BUILD: string | undefined;

/** The program's version, as in package.json. */
export const VERSION: string = typeof QUERN_VERSION === "string" ? QUERN_VERSION : "0.0.0-development";

/** Changes with every build, so that what clients keep of an older one is not taken for good. */
export const BUILD: string = typeof QUERN_BUILD === "string" ? QUERN_BUILD : `development-${Date.now()}`;

/** True in the executable, false when run from the sources. */
export const IS_EXECUTABLE: boolean = typeof QUERN_BUILD === "string";

/** Version of the API, as its specification counts it. */
export const API_VERSION = "1.0.1";
