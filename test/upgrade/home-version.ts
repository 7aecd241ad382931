import { MIGRATIONS } from "../../src/home/migrations/index.ts";

/** The version that home databases are upgraded to. */
export const HOME_VERSION = MIGRATIONS.at(-1)?.version ?? 0;
