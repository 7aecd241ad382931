import { expect } from "bun:test";
import type { DocAction } from "../../../src/doc/actions/doc-action.ts";
import { recalculateDocument, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { checkDocumentFile } from "../../../src/doc/check-document.ts";
import { AppError } from "../../../src/errors.ts";
import { Catalog } from "../../../src/doc/actions/catalog.ts";
import { readRows } from "../../../src/doc/actions/row-storage.ts";
import { targetsOf, twoWayColumns } from "../../../src/doc/actions/references/two-way-references.ts";
import { Random } from "../../helpers/random.ts";
import { randomAction, randomBundle } from "./random-actions.ts";
import { importDownload } from "./random-download.ts";
import { startDocument } from "./random-start.ts";
import { ANN, type Scratch } from "./scratch.ts";
import { summaryDifferences } from "./summary-groups.ts";

interface Step {
  readonly undo: readonly DocAction[];
  /** The document before the step. */
  readonly earlier: Record<string, unknown>;
}

/**
 * Applies random steps to a new document, and throws when a step leaves an inconsistency: in the document, in its
 * download, in the import of the download, or after undo.
 */
export function runSequence(own: number, steps: number): void {
  using scratch = startDocument(own);
  const command = `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1 QUERN_TEST_STEPS=${steps}`;
  const random = new Random(own);
  const applied: Step[] = [];
  const done: (readonly UserAction[])[] = [];
  let content = scratch.content();
  let mayBeStale = false;
  for (let step = 0; step < steps; step++) {
    const actions = random.oneIn(3) ? randomBundle(scratch, random) : [randomAction(scratch, random)];
    done.push(actions);
    guard(command, done, () => {
      let undo: readonly DocAction[] | undefined;
      try {
        ({ undo } = scratch.apply(actions));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
      const after = scratch.content();
      if (undo) applied.push({ undo, earlier: content });
      else expectSame(after, content);
      content = after;
      mayBeStale ||= hasMissingOrder(scratch);
      expect([...inconsistentTwoWayReferences(scratch), ...summaryDifferences(scratch)]).toEqual([]);
    });
  }
  guard(command, done, () => {
    expect(checkDocumentFile(scratch.document.path).problems).toEqual([]);
    expectNothingToRecalculate(scratch);
    const imported = importDownload(scratch);
    expectSame(imported.content, content);
    expect(imported.history).toEqual(scratch.states());
    expectNothingToRecalculate(scratch, imported.recalculated);
    expect(imported.isWritten).toBe(false);
    if (mayBeStale) return;
    for (const { undo, earlier } of applied.toReversed()) {
      scratch.apply([["ApplyUndoActions", undo]]);
      expectSame(scratch.content(), earlier);
    }
    expect(scratch.problems()).toEqual([]);
    expectNothingToRecalculate(scratch);
  });
}

/** Adds the actions of the sequence so far, and the command to repeat it, to errors. */
function guard(command: string, done: readonly (readonly UserAction[])[], work: () => void): void {
  try {
    work();
  } catch (error) {
    const steps = done.map((actions) => actions.map((action) => JSON.stringify(action)).join(" + "));
    throw new Error([command, ...steps, String(error)].join("\n"), { cause: error });
  }
}

/** Like `toEqual`, but a hundred times as fast for equal values. */
function expectSame(actual: Record<string, unknown>, expected: Record<string, unknown>): void {
  if (!Bun.deepEquals(actual, expected)) expect(actual).toEqual(expected);
}

/** Skips documents with circular references, whose results depend on the evaluation order. */
function expectNothingToRecalculate(scratch: Scratch, calculated = recalculated(scratch)): void {
  const cells = JSON.stringify([calculated, scratch.content()]);
  if (cells.includes("CircularRefError")) return;
  if (hasMissingOrder(scratch)) return;
  expect(calculated).toEqual([]);
}

/**
 * Returns whether a formula orders a lookup by a column that no table has. Results stay when such a column is removed and
 * become errors with the next recalculation, also with one that an undo causes.
 */
function hasMissingOrder({ document }: Scratch): boolean {
  const ids = new Set(document.schema.tables.flatMap(({ columns }) => columns.map(({ id }) => id)));
  return document.schema.tables.some(({ columns }) =>
    columns.some(({ formula }) =>
      [...formula.matchAll(/(?:order_by|sort_by)=(\([^)]*\)|["'][^"']*["'])/g)].some(([, order = ""]) =>
        [...order.matchAll(/["']-?(\w+)["']/g)].some(([, id = ""]) => id !== "id" && !ids.has(id)),
      ),
    ),
  );
}

const recalculated = ({ document }: Scratch): readonly unknown[] =>
  recalculateDocument(document, { user: ANN, nowMs: 0 }, { persist: false }).calculated;

/** Returns two-way references whose two columns disagree. */
function inconsistentTwoWayReferences({ document }: Scratch): string[] {
  const { schema, db } = document;
  const linksOf = (table: string, id: string): Map<number, number[]> => {
    const column = new Catalog(schema).column(table, id);
    const { ids, cells } = readRows(db, table, [column]);
    return new Map(ids.map((row, r) => [row, targetsOf(cells[0]?.[r] ?? null)]));
  };
  const problems: string[] = [];
  for (const [table, columns] of twoWayColumns(schema)) {
    for (const { id, reverseCol } of columns) {
      const other = schema.columnByRef.get(reverseCol);
      const target = schema.tableByRef.get(other?.tableRef ?? 0);
      if (!other || !target) continue;
      const back = linksOf(target.id, other.id);
      for (const [row, targets] of linksOf(table, id)) {
        const missing = targets.filter((to) => back.has(to) && !back.get(to)?.includes(row));
        if (missing.length > 0)
          problems.push(`${table}.${id}: row ${row} refers to ${missing.join()}, which does not refer back`);
      }
    }
  }
  return problems;
}
