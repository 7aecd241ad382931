import type { Role } from "../../../src/authorization.ts";
import type { OpenDocument, OpenDocumentOptions } from "../../../src/doc/document.ts";
import { AppError } from "../../../src/errors.ts";
import { exportVerbs } from "../../../src/hosts/verbs/exports.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { grantOf, sampleDocument, type SampleRecord, type SampleTable, textOf } from "../read/sample.ts";
import type { WrittenRules } from "./ruled.ts";

/** A document with these tables and rules, stored in its file directly, bypassing all code that writes. */
export function ruledDocument(
  tables: readonly SampleTable[],
  rules: WrittenRules,
  options?: OpenDocumentOptions,
): OpenDocument {
  const document = sampleDocument(tables, options);
  writeRules(document, rules);
  return document;
}

/** Replaces the rules of a document. */
export function writeRules(document: OpenDocument, rules: WrittenRules): void {
  const { db } = document;
  db.transaction(() => {
    db.exec("delete from _grist_ACLRules where id > 1; delete from _grist_ACLResources where id > 1");
    Object.entries(rules).forEach(([name, list], at) => {
      const [tableId = "", colIds = ""] = name.split(":");
      db.run("insert into _grist_ACLResources (id, tableId, colIds) values (?, ?, ?)", at + 2, tableId, colIds);
      for (const [place, rule] of list.entries()) {
        db.run(
          `insert into _grist_ACLRules (resource, aclFormula, permissionsText, userAttributes, rulePos)
           values (?, ?, ?, ?, ?)`,
          at + 2,
          rule.formula ?? "",
          rule.permissions ?? "",
          rule.userAttributes ?? "",
          place + 1,
        );
      }
    });
  });
  document.onChanged({ schema: true });
}

export interface Question {
  readonly table: string;
  readonly filter?: Readonly<Record<string, readonly unknown[]>>;
  readonly sort?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly typed?: boolean;
  readonly hidden?: boolean;
}

const query = ({ table, filter, sort, limit, offset, typed = false, hidden = false }: Question) => ({
  table,
  filter: filter && JSON.stringify(filter),
  sort,
  limit: limit?.toString(),
  offset: offset?.toString(),
  typed,
  hidden,
});

/** Returns records as a role receives them. */
export function recordsFor(document: OpenDocument, role: Role, question: Question): SampleRecord[] {
  const answer = readVerbs["records.fetch"].run(document, grantOf("sample", role), query(question));
  return (JSON.parse(textOf(document, answer)) as { records: SampleRecord[] }).records;
}

/** The same, with the query in a body. */
export function listFor(document: OpenDocument, role: Role, { table, sort, typed, ...rest }: Question): SampleRecord[] {
  const wanted = {
    ...rest,
    ...(sort !== undefined && { sort: sort.split(",") }),
    cellFormat: typed ? "typed" : "normal",
  };
  const body = new TextEncoder().encode(JSON.stringify(wanted));
  const answer = readVerbs["records.list"].run(document, grantOf("sample", role), { table, body });
  return (JSON.parse(textOf(document, answer)) as { records: SampleRecord[] }).records;
}

/** Returns columns as a role receives them. */
export function dataFor(document: OpenDocument, role: Role, question: Question): Record<string, CellValue[]> {
  const answer = readVerbs["data.fetch"].run(document, grantOf("sample", role), query(question));
  return JSON.parse(textOf(document, answer)) as Record<string, CellValue[]>;
}

/** Returns a table as CSV as a role receives it. */
export function csvFor(document: OpenDocument, role: Role, table: string): string {
  const wanted = { table, format: "csv", header: "colId" } as const;
  return textOf(document, exportVerbs["export.delimited"].run(document, grantOf("sample", role), wanted));
}

/** Returns the ids of the tables listed for a role, each with its columns. */
export function tablesFor(document: OpenDocument, role: Role): Record<string, string[]> {
  const answer = readVerbs["tables.list"].run(document, grantOf("sample", role), { expandColumns: true });
  const { tables } = JSON.parse(textOf(document, answer)) as { tables: { id: string; columns: { id: string }[] }[] };
  return Object.fromEntries(tables.map(({ id, columns }) => [id, columns.map((column) => column.id)]));
}

/** Returns the ids of a table's columns listed for a role, including hidden columns. */
export function columnsFor(document: OpenDocument, role: Role, table: string): string[] {
  const answer = readVerbs["columns.list"].run(document, grantOf("sample", role), { table, hidden: true });
  return (JSON.parse(textOf(document, answer)) as { columns: { id: string }[] }).columns.map(({ id }) => id);
}

/** Returns the code of the refusal that `work` throws; null when it succeeds. */
export function refusalOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}
