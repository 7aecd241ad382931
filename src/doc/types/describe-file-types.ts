import { invalid } from "../../errors.ts";
import type { TypedTable } from "../../exchange/typed-table.ts";
import { Database } from "../../sqlite/database.ts";
import { findForeignParts } from "../check-document.ts";
import { isOutdated, readVersions } from "../migrations/migrate.ts";
import { withReadablePath, withUpgradedCopy } from "../read-only-file.ts";
import { readSchema } from "../read-schema.ts";
import { requireSqliteFile } from "../untrusted-file.ts";
import { describeTypes } from "./describe-types.ts";

/**
 * Describes the types of all tables of a document's file. The file may be in use, and is only read.
 * @throws AppError `invalid` when the file is not a document
 */
export function describeFileTypes(path: string): TypedTable[] {
  requireSqliteFile(path);
  return withReadablePath(path, (readable) => {
    using db = new Database(readable, { readonly: true, busyTimeoutMs: 5000 });
    const [problem] = findForeignParts(db);
    if (problem !== undefined) throw invalid(problem);
    const describe = (current: Database) => describeTypes(readSchema(current).tables);
    return isOutdated(readVersions(db)) ? withUpgradedCopy(readable, describe) : describe(db);
  });
}
