import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import type { JobDefinition, LineError } from "../../doc/jobs/jobs.ts";
import { findReadTable } from "../../doc/read/read-table.ts";
import { AppError, type Reason } from "../../errors.ts";
import { type Line, parseObject } from "../../lib/text/json-lines.ts";
import { applyAsCaller } from "./apply-actions.ts";
import { isAboutLines, lineErrorOf } from "./line-errors.ts";
import { collectAddedRecords, collectUpsertedRecords } from "./record-bodies.ts";
import { upsertOptionsOf } from "./writes.ts";

/** A line and the record in it. */
interface ParsedLine {
  readonly number: number;
  readonly record: Record<string, unknown>;
}

export interface AppliedLines {
  /** How many of the lines are done, from the first one on. */
  readonly processed: number;
  readonly errors: readonly LineError[];
  /** True when the last error ends the job. */
  readonly isStopped: boolean;
}

/**
 * Applies lines in their order. If they cannot be applied together, they are divided until the lines at fault are known;
 * the first one ends the job or is skipped. Call within a transaction: each successful write is a savepoint.
 * @param isOverdue when it returns true, the rest is left for the next transaction
 * @throws errors that are not about the lines
 */
export function applyLines(
  document: OpenDocument,
  grant: DocumentGrant,
  { definition, lines, isOverdue }: { definition: JobDefinition; lines: readonly Line[]; isOverdue: () => boolean },
): AppliedLines {
  // Without the table no line can be applied.
  findReadTable(document.schema, definition.table);
  const errors: LineError[] = [];
  let processed = 0;
  const fail = (error: LineError): boolean => {
    errors.push(error);
    if (definition.onError === "stop") return false;
    processed++;
    return true;
  };
  /** Returns false when the lines behind must not be applied. */
  const applyRange = (range: readonly ParsedLine[]): boolean => {
    const [first] = range;
    if (!first) return true;
    if (processed > 0 && isOverdue()) return false;
    try {
      apply(document, grant, definition, actionsOf(document, definition, range));
      processed += range.length;
      return true;
    } catch (error) {
      if (!isAboutLines(error)) throw error;
      if (range.length === 1) return fail(lineErrorOf(error, first.number));
      const middle = range.length >> 1;
      return applyRange(range.slice(0, middle)) && applyRange(range.slice(middle));
    }
  };
  let range: ParsedLine[] = [];
  for (const line of lines) {
    const record = parseObject(line.text);
    if (record) {
      range.push({ number: line.number, record });
      continue;
    }
    if (!applyRange(range) || !fail(notAnObject(line.number))) return resultOf(processed, errors, definition);
    range = [];
  }
  applyRange(range);
  return resultOf(processed, errors, definition);
}

/**
 * Applies all lines in one change.
 * @throws AppError when a line cannot be applied; nothing has changed then
 */
export function applyAtOnce(
  document: OpenDocument,
  grant: DocumentGrant,
  { definition, parts }: { definition: JobDefinition; parts: Iterable<readonly Line[]> },
): void {
  const actions: UserAction[] = [];
  for (const lines of parts) {
    const parsed = lines.map(({ number, text }): ParsedLine => {
      const record = parseObject(text);
      if (!record)
        throw new AppError("body.invalid_json", `Line ${number} is not a JSON object`, { details: { line: number } });
      return { number, record };
    });
    actions.push(...actionsOf(document, definition, parsed));
  }
  apply(document, grant, definition, actions);
}

const resultOf = (processed: number, errors: readonly LineError[], { onError }: JobDefinition): AppliedLines => ({
  processed,
  errors,
  isStopped: onError === "stop" && errors.length > 0,
});

function actionsOf(
  document: OpenDocument,
  { method, table: ref, query }: JobDefinition,
  lines: readonly ParsedLine[],
): UserAction[] {
  const table = findReadTable(document.schema, ref).id;
  const records = lines.map(({ record }) => record);
  if (method === "add") {
    const { count, columns } = collectAddedRecords(records, { flat: true });
    return [["BulkAddRecord", table, Array.from({ length: count }, () => null), columns]];
  }
  const options = upsertOptionsOf(query);
  const { groups } = collectUpsertedRecords(records);
  return groups.map(({ require, fields }) => ["BulkAddOrUpdateRecord", table, require, fields, options]);
}

function apply(
  document: OpenDocument,
  grant: DocumentGrant,
  { query: { noparse } }: JobDefinition,
  actions: readonly UserAction[],
): void {
  applyAsCaller(document, grant, actions, { noparse, storesRecords: true });
}

const notAnObject = (line: number): LineError => ({
  line,
  code: "body.invalid_json" satisfies Reason,
  error: "The line is not a JSON object",
});
