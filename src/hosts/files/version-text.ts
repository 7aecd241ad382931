import type { DocumentVersions } from "../../doc/migrations/migrate.ts";

/** `46.9`: the version of the metadata, and of tables and values. */
export const versionText = ({ schema, storage }: DocumentVersions): string => `${schema}.${storage}`;
