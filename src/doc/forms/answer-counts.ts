import type { OpenDocument } from "../document.ts";
import { hasTable } from "../migrations/stored-tables.ts";

/**
 * How many answers each form has received over its link, in an internal table of the document: left out of downloads and
 * copies, and written in the transaction of the answer.
 */

const TABLE = "_quern_form_answers";

/** Returns the number of answers of a form. */
export function answersOf({ db }: Pick<OpenDocument, "db">, section: number): number {
  if (!hasTable(db, TABLE)) return 0;
  return Number(db.values(`select answers from ${TABLE} where section = ?`, section)[0]?.[0] ?? 0);
}

/** Counts answers of a form. Call it in the transaction that adds them. */
export function countAnswers(document: OpenDocument, section: number, count: number): void {
  const { db } = document;
  if (!hasTable(db, TABLE)) {
    db.exec(`create table ${TABLE} (section integer primary key, answers integer not null)`);
    document.invalidateSchema();
  }
  // Ids of sections are used again.
  db.run(`delete from ${TABLE} where section not in (select id from _grist_Views_section)`);
  db.run(
    `insert into ${TABLE} (section, answers) values (?1, ?2) on conflict (section) do update set answers = answers + ?2`,
    section,
    count,
  );
}
