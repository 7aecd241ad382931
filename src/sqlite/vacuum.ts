import { Database } from "./database.ts";

/**
 * Writes a database as it is at this moment to a new file, also while others write to it: SQLite's own copying takes one
 * moment's state, leaves no free pages with former contents, and no WAL mode. The same content gives the same bytes.
 * The file need not be on the disk when this ends.
 */
export function vacuumInto(from: string, to: string): void {
  using db = new Database(from, { readonly: true, busyTimeoutMs: 5000 });
  // The copy takes this on.
  db.exec("pragma synchronous = off");
  db.run("vacuum into ?", to);
}
