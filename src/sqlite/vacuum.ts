import { Database } from "./database.ts";

/**
 * Writes a snapshot of a database to a new file, even during concurrent writes. VACUUM INTO copies one consistent
 * version, without free pages that hold old data and without WAL mode. The same content produces the same bytes. The
 * copy is not synced to disk.
 */
export function vacuumInto(from: string, to: string): void {
  using db = new Database(from, { readonly: true, busyTimeoutMs: 5000 });
  // The copy inherits this setting.
  db.exec("pragma synchronous = off");
  db.run("vacuum into ?", to);
}
