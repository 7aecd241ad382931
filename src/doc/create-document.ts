import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { AppError } from "../errors.ts";
import { systemClock } from "../lib/time/clock.ts";
import { Database, type SqlValue } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { renewCounter } from "./change-counter.ts";
import { historyEntry } from "./history-entry.ts";
import {
  HISTORY_BRANCHES,
  METADATA_TABLES,
  SCHEMA_VERSION,
  STORAGE_VERSION,
  SYSTEM_INDEXES,
  SYSTEM_TABLES,
} from "./metadata-tables.ts";
import { createTableSql } from "./table-sql.ts";

export interface CreateOptions {
  /** An IANA time zone. */
  timezone?: string;
  locale?: string;
  /** An ISO 4217 code; defaults to the currency of the locale's region. */
  currency?: string | undefined;
  /** Milliseconds since the epoch. */
  now?: number;
  /** False omits the initial table of a new document, for importers that create their own. */
  firstTable?: boolean;
}

/**
 * Writes the file of a new document: complete, closed, in rollback journal mode.
 * @throws AppError `conflict` when the file exists, `storage` when it cannot be written; then nothing remains
 */
export function createDocumentFile(path: string, options: CreateOptions = {}): void {
  using db = new Database(":memory:");
  initializeDocument(db, options);
  // Created in memory and written at once: twice as fast as SQLite's page-wise writes with a journal.
  writeNewFile(path, db.serialize());
}

/** Creates a new document in an empty database. */
export function initializeDocument(db: Database, options: CreateOptions = {}): void {
  const { timezone = "UTC", locale = "en-US", currency, now = systemClock.now(), firstTable = true } = options;
  db.transaction(() => {
    db.exec(STRUCTURE_SQL);
    insert(db, "_gristsys_FileInfo", { id: 0, docId: "", ownerInstanceId: "" });
    insert(db, "_grist_DocInfo", {
      id: 1,
      schemaVersion: SCHEMA_VERSION,
      timezone,
      // Other readers of the format look here for the Python version that evaluates the formulas.
      documentSettings: JSON.stringify({ locale, ...(currency !== undefined && { currency }), engine: "python3" }),
    });
    for (const row of ACCESS_ROWS) insertRow(db, row);
    if (firstTable) for (const row of FIRST_TABLE_ROWS) insertRow(db, row);
    if (firstTable) db.exec(createTableSql("Table1", FIRST_TABLE_COLUMNS));
    insertFirstState(db, now);
    renewCounter(db);
    db.exec(`pragma user_version = ${STORAGE_VERSION}`);
  });
}

const STRUCTURE_SQL = [
  ...SYSTEM_TABLES.map((table) => table.sql),
  ...METADATA_TABLES.map((table) => createTableSql(table.id, table.columns)),
  ...SYSTEM_INDEXES.map((index) => index.sql),
].join(";\n");

interface NewRow {
  readonly table: string;
  readonly id: number;
  readonly values: Readonly<Record<string, string | number>>;
}

/** The access rows that every document has: they predate access rules and have no effect. */
export const ACCESS_ROWS: readonly NewRow[] = [
  ...["Owners", "Admins", "Editors", "Viewers"].map((groupName, index) => ({
    table: "_grist_ACLPrincipals",
    id: index + 1,
    values: { groupName, type: "group" },
  })),
  { table: "_grist_ACLResources", id: 1, values: { tableId: "", colIds: "" } },
  { table: "_grist_ACLRules", id: 1, values: { resource: 1, permissions: 63, principals: "[1]" } },
];

const FIRST_TABLE_COLUMNS = [
  { id: "manualSort", type: "ManualSortPos" },
  ...["A", "B", "C"].map((id) => ({ id, type: "Any" })),
];

/** Table1 with empty columns A, B and C, its page, and its three sections with a field for each column. */
const FIRST_TABLE_ROWS: readonly NewRow[] = [
  {
    table: "_grist_Tables",
    id: 1,
    values: { tableId: "Table1", primaryViewId: 1, rawViewSectionRef: 2, recordCardViewSectionRef: 3 },
  },
  ...FIRST_TABLE_COLUMNS.map(({ id: colId, type }, index) => ({
    table: "_grist_Tables_column",
    id: index + 1,
    values: {
      parentId: 1,
      parentPos: index + 1,
      colId,
      type,
      label: colId,
      isFormula: type === "Any" ? 1 : 0,
    },
  })),
  { table: "_grist_Views", id: 1, values: { name: "Table1", type: "raw_data" } },
  { table: "_grist_TabBar", id: 1, values: { viewRef: 1, tabPos: 1 } },
  { table: "_grist_Pages", id: 1, values: { viewRef: 1, indentation: 0, pagePos: 1 } },
  section(1, { parentId: 1, parentKey: "record", sortColRefs: "[]" }),
  section(2, { parentKey: "record" }),
  section(3, { parentKey: "single" }),
  ...Array.from({ length: 9 }, (_, index) => ({
    table: "_grist_Views_section_field",
    id: index + 1,
    values: { parentId: Math.floor(index / 3) + 1, parentPos: index + 1, colRef: (index % 3) + 2 },
  })),
];

function section(id: number, values: NewRow["values"]): NewRow {
  return { table: "_grist_Views_section", id, values: { tableRef: 1, defaultWidth: 100, borderWidth: 1, ...values } };
}

const insertRow = (db: Database, { table, id, values }: NewRow): void => insert(db, table, { id, ...values });

/** Inserts a row; omitted columns get their SQL default. */
function insert(db: Database, table: string, values: Record<string, SqlValue>): void {
  const columns = Object.keys(values);
  const places = columns.map(() => "?").join(", ");
  db.run(`insert into ${quote(table)} (${columns.map(quote).join(", ")}) values (${places})`, ...Object.values(values));
}

/** Inserts the initial state that every history begins with; it has no actions. */
function insertFirstState(db: Database, time: number): void {
  const noActions = { userActions: [], stored: [], calc: [], undo: [] };
  const { actionHash, actionNum, body } = historyEntry({
    actionNum: 1,
    parentActionHash: null,
    time,
    user: "grist",
    ...noActions,
  });
  insert(db, "_gristsys_ActionHistory", { id: 1, actionHash, parentRef: null, actionNum, body });
  HISTORY_BRANCHES.forEach((name, index) =>
    insert(db, "_gristsys_ActionHistoryBranch", { id: index + 1, name, actionRef: 1 }),
  );
}

/**
 * Deletes all states after the first one, whose content is then the present one: undoing the creation of tables that a
 * new document has would not undo their rows.
 */
export function keepFirstState(db: Database): void {
  db.exec("delete from _gristsys_ActionHistory where id > 1");
  db.exec("update _gristsys_ActionHistoryBranch set actionRef = 1");
}

function writeNewFile(path: string, bytes: Uint8Array): void {
  let file: number;
  try {
    file = openSync(path, "wx");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") {
      throw new AppError("conflict", "The document already exists", { cause });
    }
    throw cannotWrite(cause);
  }
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } catch (cause) {
    rmSync(path, { force: true });
    throw cannotWrite(cause);
  } finally {
    closeSync(file);
  }
}

const cannotWrite = (cause: unknown): AppError =>
  new AppError("storage", "The document cannot be written: the disk is full or read-only", { cause });
