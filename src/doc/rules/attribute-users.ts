import type { Role } from "../../authorization.ts";
import { isEmail, normaliseEmail } from "../../lib/text/email.ts";
import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import type { TableInfo } from "../schema.ts";

/** A user in a table that access rules look up by email address. */
export interface AttributeUser {
  readonly email: string;
  readonly name: string;
  readonly access: Role;
}

/** The maximum number of rows read from each table. */
const MAX_ROWS = 1000;
const ROLES: readonly unknown[] = ["owners", "editors", "viewers"];

/**
 * Returns the users in the tables that user attributes look up by email address, each once, in the order of tables and
 * rows. The columns `Name` and `Access` give their name and role; the role defaults to editor.
 */
export function attributeUsers({ db, schema, rules }: OpenDocument): AttributeUser[] {
  const found = new Map<string, AttributeUser>();
  for (const { charId, tableId, lookupColId } of rules?.userAttributes ?? []) {
    const table = schema.tableById.get(tableId);
    if (charId !== "Email" || !table?.isStored || !table.columnById.get(lookupColId)?.isStored) continue;
    const columns = [quote(lookupColId), columnOrNull(table, "Name"), columnOrNull(table, "Access")];
    const rows = db.values(`select ${columns.join(", ")} from ${quote(table.id)} order by id limit ?`, MAX_ROWS);
    for (const [email, name, access] of rows) {
      if (typeof email !== "string" || !isEmail(email) || found.has(normaliseEmail(email))) continue;
      found.set(normaliseEmail(email), {
        email,
        name: typeof name === "string" && name !== "" ? name : email.replace(/@.*/, ""),
        access: ROLES.includes(access) ? (access as Role) : "editors",
      });
    }
  }
  return [...found.values()];
}

const columnOrNull = (table: TableInfo, id: string): string =>
  table.columnById.get(id)?.isStored ? quote(id) : "null";
