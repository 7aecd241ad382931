import type { Database } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { OpenDocument } from "../document.ts";
import { WriteAccessEvaluator } from "../rules/write-access-evaluator.ts";
import { checkDryRunTime } from "../dry-run/dry-run.ts";
import type { Schema } from "../schema.ts";
import type { UserInfo } from "../user-info.ts";
import { applyDocAction } from "./apply-doc-action.ts";
import { CalculatedCells, type ChangedCells } from "./calculated-cells.ts";
import { Catalog } from "./catalog.ts";
import { DirtyCells } from "./dirty-cells.ts";
import { type DocAction, isMetadataTable } from "./doc-action.ts";
import { RecordLookups } from "./record-lookups.ts";
import { lastPosition } from "./records/positions.ts";
import { TwoWayReferences } from "./references/two-way-references.ts";
import type { ApplyContext } from "./apply-context.ts";

export interface ChangeOptions {
  /** Strings are parsed by the type of their column. */
  readonly parse: boolean;
  /** True when strings for non-text columns were parsed before: the remaining strings failed to parse and stay text. */
  readonly keepsTexts?: boolean;
  /** Types for empty columns that get their first values, by `Table.column`; guessed from the values when missing. */
  readonly emptyColumns?: ReadonlyMap<string, { type: string; widgetOptions: object }>;
  /** The caller: the history records their address, and some metadata may only be written by owners. */
  readonly user: UserInfo;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** `skip` for changes by the server itself: access rules apply to callers only. */
  readonly rules?: "skip";
  /**
   * True for an import: formulas get the time limit of a job; a formula that exceeds it yields an error in its cell.
   */
  readonly isJob?: boolean;
  /** A description for the history entry. */
  readonly note?: string;
  /** True when the response promises that new records are stored: additions to a summary are then refused. */
  readonly storesRecords?: boolean;
  /** Called before each action; it throws when the change is cancelled. */
  readonly checkCancelled?: () => void;
  /** True when the steps come from the history of the document, not from the caller. */
  readonly restores?: boolean;
}

/** Actions after which written rows are no longer found under their former table and column names. */
const NAME_CHANGING_ACTIONS: ReadonlySet<string> = new Set([
  "RenameTable",
  "RemoveTable",
  "RenameColumn",
  "RemoveColumn",
]);

/** The metadata tables whose records define tables and columns. */
const SCHEMA_TABLES: ReadonlySet<string> = new Set(["_grist_Tables", "_grist_Tables_column"]);

/** Cache of the highest manualSort of each table, by connection (the only writer). It outlives a single change. */
const LAST_POSITIONS = new WeakMap<Database, Map<string, number>>();

/**
 * One change of a document in progress: the actions applied so far, the undo log, and the state needed until the change
 * is complete. Lives within one transaction.
 */
export class Change implements ApplyContext {
  readonly document: OpenDocument;
  readonly db: Database;
  readonly catalog: Catalog;
  readonly dirty = new DirtyCells();
  readonly lookups: RecordLookups = new RecordLookups(this);
  readonly twoWayReferences: TwoWayReferences = new TwoWayReferences(this);
  readonly calculatedCells: CalculatedCells;
  readonly options: ChangeOptions;
  /** Document actions that were applied, in order. */
  readonly stored: DocAction[] = [];
  /** Results of formulas that were written, in order. */
  readonly calculated: DocAction[] = [];
  /** `stored` and `calculated` merged in the order of execution, which matters when tables or columns are renamed. */
  readonly done: DocAction[] = [];
  /** The undo log: applied in reverse order, it reverts everything. */
  readonly undo: DocAction[] = [];
  /** Temporary ids of new rows within a request (-1, -2 …) mapped to the allocated ids, by table. */
  readonly newRows = new Map<string, Map<number, number>>();
  /** Checks the caller's actions against the access rules of the document; null when rules are skipped. */
  readonly writeAccess: WriteAccessEvaluator | null;
  /**
   * The schema at the start of an action on several tables or columns: none of them may take a former name of another.
   */
  reservedNames: Schema | null = null;
  /** True once the caller wrote to a table of access rules. */
  writesRules = false;
  /** True once a metadata table was written to, or a table or column changed. */
  touchesMetadata = false;
  /** True once the columns of a table changed, or the metadata records about it. */
  touchesSchema = false;
  /**
   * True once a reference to a helper column was dropped: unused helpers are removed after the last action of the
   * bundle.
   */
  mayLeaveHelpers = false;
  ignoresMissingRows = false;
  includesUnchanged = false;
  readonly #versions = new Map<string, number>();

  constructor(document: OpenDocument, options: ChangeOptions) {
    this.document = document;
    this.db = document.db;
    this.catalog = new Catalog(document.schema);
    this.options = options;
    this.calculatedCells = new CalculatedCells(this);
    this.writeAccess = options.rules === "skip" ? null : new WriteAccessEvaluator(this);
  }

  get recordedCells(): number {
    return this.document.calculationLimits.recordedCells;
  }

  /** The metadata at this point of the change. */
  get schema(): Schema {
    return this.document.schema;
  }

  /** Applies an action. @throws AppError `invalid` when it cannot be applied. */
  apply(action: DocAction): DocAction | null {
    const done = this.#applyTracked(action);
    if (!done) return null;
    this.stored.push(done);
    this.done.push(done);
    return done;
  }

  /** Writes cells, including unchanged ones. */
  applyWhole(action: DocAction): void {
    this.includesUnchanged = true;
    try {
      this.apply(action);
    } finally {
      this.includesUnchanged = false;
    }
  }

  /** Applies an action that the caller requested directly. @throws AppError `forbidden` when access rules deny it. */
  applyRequested(action: DocAction): void {
    const after = this.writeAccess?.checkRows(action);
    const done = this.apply(action);
    if (done) after?.(done);
  }

  /** Writes rows of summaries. */
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

  /** Adds an action that writes results of formulas, which may still be extended, and the one that undoes it. */
  addCalculated(done: DocAction, undo: DocAction): void {
    this.calculated.push(done);
    this.done.push(done);
    this.undo.push(undo);
  }

  /** Call after results of formulas were written. */
  onCalculated(table: string, ids: number[], changed: readonly ChangedCells[]): void {
    this.#versions.set(table, this.versionOf(table) + 1);
    lastPositionsOf(this.db).delete(table);
    // Only columns with data refer in both directions.
    const data = changed.filter(({ column }) => !column.isFormula);
    if (data.length === 0) return;
    const cellsOf = (cells: (changed: ChangedCells) => CellValue[]) =>
      Object.fromEntries(data.map((each) => [each.column.id, cells(each)]));
    const before = cellsOf(({ before: cellAt }) => ids.map((_, r) => cellAt(r)));
    this.twoWayReferences.record(
      ["BulkUpdateRecord", table, ids, cellsOf(({ cells }) => cells)],
      ["BulkUpdateRecord", table, ids, before],
    );
  }

  addUndo(...actions: DocAction[]): void {
    this.undo.push(...actions);
  }

  /** A version number that changes with every write to the table. */
  versionOf(table: string): number {
    return this.#versions.get(table) ?? 0;
  }

  /** Returns the highest position in a column of a table. */
  lastPositionOf(table: string, column: string): number {
    if (column !== "manualSort") return lastPosition(this.db, table, column);
    const positions = lastPositionsOf(this.db);
    let position = positions.get(table);
    if (position === undefined) positions.set(table, (position = lastPosition(this.db, table, column)));
    return position;
  }

  /** Updates the cached highest position after rows were appended. */
  setLastPosition(table: string, column: string, position: number): void {
    if (column === "manualSort") lastPositionsOf(this.db).set(table, position);
  }

  #applyTracked(action: DocAction): DocAction | null {
    const [name, table] = action;
    checkDryRunTime(this.db);
    this.calculatedCells.close();
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

/** Clears the cached positions of a document after a rollback. */
export function clearLastPositions(db: Database): void {
  LAST_POSITIONS.delete(db);
}

function lastPositionsOf(db: Database): Map<string, number> {
  let positions = LAST_POSITIONS.get(db);
  if (!positions) LAST_POSITIONS.set(db, (positions = new Map()));
  return positions;
}
