import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import { WriteAccessEvaluator } from "../rules/write-access-evaluator.ts";
import type { Schema } from "../schema.ts";
import type { UserInfo } from "../user-info.ts";
import { applyDocAction } from "./apply-doc-action.ts";
import { Catalog } from "./catalog.ts";
import { DirtyCells } from "./dirty-cells.ts";
import { type DocAction, isMetadataTable } from "./doc-action.ts";
import { RecordLookups } from "./record-lookups.ts";
import { lastPosition } from "./records/positions.ts";
import { TwoWayReferences } from "./references/two-way-references.ts";
import type { ApplyContext } from "./apply-context.ts";

export interface ChangeOptions {
  /** Texts are read by the type of the column they go to. */
  readonly parse: boolean;
  /** True where texts for types other than texts were read before: those that did not read stay texts. */
  readonly keepsTexts?: boolean;
  /** Types for empty columns that get values now, by `Table.column`; found out where there is none. */
  readonly emptyColumns?: ReadonlyMap<string, { type: string; widgetOptions: object }>;
  /** Whoever asks: the history keeps his address, and some metadata is for owners alone. */
  readonly user: UserInfo;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** `skip` for what the program does on its own account: the document's access rules are for what callers want. */
  readonly rules?: "skip";
  /** True for an import: formulas have the time of a job, and those that exceed it fail in their cells. */
  readonly isJob?: boolean;
  /** What the history says of it besides what was asked for. */
  readonly note?: string;
  /** True where the answer means that new records are stored: a summary takes none then. */
  readonly storesRecords?: boolean;
  /** True where the steps come from the history of the document, not from the caller. */
  readonly restores?: boolean;
}

/** After these, rows are no longer found where they were written. */
const NAME_CHANGING_ACTIONS: ReadonlySet<string> = new Set([
  "RenameTable",
  "RemoveTable",
  "RenameColumn",
  "RemoveColumn",
]);

/** Whose records tell what tables and columns there are. */
const SCHEMA_TABLES: ReadonlySet<string> = new Set(["_grist_Tables", "_grist_Tables_column"]);

/** The last manualSort of each table, by the connection that alone writes it; kept over changes. */
const LAST_POSITIONS = new WeakMap<Database, Map<string, number>>();

/**
 * One change of a document while it is under way: what was done so far, what undoes it, and what has to be kept in
 * mind until it is complete. Lives within one transaction.
 */
export class Change implements ApplyContext {
  readonly document: OpenDocument;
  readonly db: Database;
  readonly catalog: Catalog;
  readonly dirty = new DirtyCells();
  readonly lookups: RecordLookups = new RecordLookups(this);
  readonly twoWayReferences: TwoWayReferences = new TwoWayReferences(this);
  readonly options: ChangeOptions;
  /** What was done, in order. */
  readonly stored: DocAction[] = [];
  /** What formulas made of it, in order. */
  readonly calculated: DocAction[] = [];
  /** Both in the order they happened, which matters where tables and columns are renamed in between. */
  readonly done: DocAction[] = [];
  /** Applied from the last to the first, these undo all of it. */
  readonly undo: DocAction[] = [];
  /** Row ids that stand for new rows within a request (-1, -2 …), by table, with the ids these rows got. */
  readonly newRows = new Map<string, Map<number, number>>();
  /** Holds what the caller wants against the document's access rules; null when they do not count. */
  readonly writeAccess: WriteAccessEvaluator | null;
  /** The document when an action on several tables or columns began: none of them can have what another was called. */
  reservedNames: Schema | null = null;
  /** True once the caller wrote a table that holds access rules. */
  writesRules = false;
  /** True once a metadata table was written, or a table or column changed. */
  touchesMetadata = false;
  /** True once the shape of a table changed, or what the metadata says about it. */
  touchesSchema = false;
  /** True once something gave up a helper column: unused ones are removed after the last action of the bundle. */
  mayLeaveHelpers = false;
  ignoresMissingRows = false;
  tellsUnchanged = false;
  readonly #versions = new Map<string, number>();

  constructor(document: OpenDocument, options: ChangeOptions) {
    this.document = document;
    this.db = document.db;
    this.catalog = new Catalog(document.schema);
    this.options = options;
    this.writeAccess = options.rules === "skip" ? null : new WriteAccessEvaluator(this);
  }

  /** The metadata as it is at this moment of the change. */
  get schema(): Schema {
    return this.document.schema;
  }

  /** Does one thing. @throws AppError `invalid` when it is impossible. */
  apply(action: DocAction): DocAction | null {
    const done = this.#applyTracked(action);
    if (!done) return null;
    this.stored.push(done);
    this.done.push(done);
    return done;
  }

  /** Writes cells, and tells of those that hold the given value already as well. */
  applyWhole(action: DocAction): void {
    this.tellsUnchanged = true;
    try {
      this.apply(action);
    } finally {
      this.tellsUnchanged = false;
    }
  }

  /** Does one thing that the caller wants himself. @throws AppError `forbidden` when access rules are against it. */
  applyRequested(action: DocAction): void {
    const after = this.writeAccess?.checkRows(action);
    const done = this.apply(action);
    if (done) after?.(done);
  }

  /** Writes results of formulas. */
  applyCalculated(action: DocAction): void {
    this.ignoresMissingRows = true;
    try {
      const done = this.#applyTracked(action);
      if (!done) return;
      this.calculated.push(done);
      this.done.push(done);
    } finally {
      this.ignoresMissingRows = false;
    }
  }

  addUndo(...actions: DocAction[]): void {
    this.undo.push(...actions);
  }

  /** Another number whenever a table was written. */
  versionOf(table: string): number {
    return this.#versions.get(table) ?? 0;
  }

  /** The highest position in a column of a table. */
  lastPositionOf(table: string, column: string): number {
    if (column !== "manualSort") return lastPosition(this.db, table, column);
    const positions = lastPositionsOf(this.db);
    let position = positions.get(table);
    if (position === undefined) positions.set(table, (position = lastPosition(this.db, table, column)));
    return position;
  }

  /** To be told after rows were appended: what the highest position is now. */
  setLastPosition(table: string, column: string, position: number): void {
    if (column === "manualSort") lastPositionsOf(this.db).set(table, position);
  }

  #applyTracked(action: DocAction): DocAction | null {
    const [name, table] = action;
    if (NAME_CHANGING_ACTIONS.has(name)) this.writeAccess?.checkPending();
    const done = applyDocAction(this, action);
    if (!done) return null;
    this.#versions.set(table, this.versionOf(table) + 1);
    lastPositionsOf(this.db).delete(table);
    const changesSchema = !name.endsWith("Record") && name !== "ReplaceTableData";
    if (SCHEMA_TABLES.has(table)) this.touchesSchema = true;
    if (changesSchema) {
      this.touchesSchema = true;
      if (name === "RenameTable") lastPositionsOf(this.db).delete(action[2]);
    }
    if (changesSchema || isMetadataTable(table)) {
      this.touchesMetadata = true;
      this.document.invalidateSchema();
    } else {
      this.twoWayReferences.record(done, this.undo.at(-1));
    }
    return done;
  }
}

/** Forgets what is known about the rows of a document: after a change that was undone. */
export function clearLastPositions(db: Database): void {
  LAST_POSITIONS.delete(db);
}

function lastPositionsOf(db: Database): Map<string, number> {
  let positions = LAST_POSITIONS.get(db);
  if (!positions) LAST_POSITIONS.set(db, (positions = new Map()));
  return positions;
}
