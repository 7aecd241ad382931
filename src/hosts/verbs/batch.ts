import { hasScope, metadataScopes, type DocumentGrant } from "../../authorization.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { AppError, frozenError, invalid } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { parseJson, validate } from "../../payload.ts";
import { BatchBody, type BatchOperation, type BatchResult } from "../../wire/tables/batch.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "./apply-actions.ts";
import { collectAddedRecords, collectUpsertedRecords, readModifiedRecords, readRowIds } from "./record-bodies.ts";
import { verb } from "./verb.ts";
import { type GroupResult, mergeResults, tableId, upsertOptionsOf } from "./writes.ts";

interface BatchArgs {
  /** JSON that matches `BatchBody`. */
  readonly body: Uint8Array | null;
  /** Strings are stored without parsing. */
  readonly noparse: boolean;
}

/** The user actions of an operation, and its result from their return values. */
interface PlannedOperation {
  readonly actions: readonly UserAction[];
  resultOf(retValues: readonly unknown[]): BatchResult;
}

/** Several writes in one transaction, which is one state of the history. */
export const batchVerbs = {
  "records.batch": verb({
    needs: "editors",
    changes: "content",
    underRules: "enforced",
    commits: "batched",
    run: runBatch,
  }),
};

function runBatch(document: OpenDocument, grant: DocumentGrant, { body, noparse }: BatchArgs): JsonResult {
  const { operations } = validate(BatchBody, parseJson(body), "body");
  requireDistinctNames(operations);
  const results: BatchResult[] = [];
  const byName = new Map<string, BatchResult>();
  function* actions(retValues: readonly unknown[]): Generator<UserAction, void> {
    for (const operation of operations) {
      const planned = plan(document, grant, resolveReferences(operation, byName) as BatchOperation);
      const start = retValues.length;
      yield* planned.actions;
      const result = planned.resultOf(retValues.slice(start));
      results.push(operation.as === undefined ? result : { as: operation.as, ...result });
      if (operation.as !== undefined) byName.set(operation.as, result);
    }
  }
  try {
    applyAsCaller(document, grant, actions, { noparse, storesRecords: true });
  } catch (error) {
    // Each result is added when its operation is complete.
    const index = results.length;
    throw error instanceof AppError && index < operations.length ? ofOperation(error, index) : error;
  }
  return jsonResult({ results });
}

function plan(document: OpenDocument, grant: DocumentGrant, operation: BatchOperation): PlannedOperation {
  if (grant.tables && !grant.tables.includes(operation.table)) {
    throw frozenError(FROZEN.tableNotFound, operation.table);
  }
  const table = tableId(document, operation);
  requireScopesFor(grant, table);
  switch (operation.op) {
    case "add": {
      const { count, columns } = collectAddedRecords(operation.records, { flat: false });
      const ids = Array.from({ length: count }, () => null);
      return {
        actions: [["BulkAddRecord", table, ids, columns]],
        resultOf: ([added]) => ({ ids: added as number[] }),
      };
    }
    case "update": {
      const { ids, columns } = readModifiedRecords(operation);
      return { actions: [["BulkUpdateRecord", table, ids, columns]], resultOf: () => ({ ids }) };
    }
    case "upsert": {
      const { count, groups } = collectUpsertedRecords(operation.records);
      const { onmany, noadd = false, noupdate = false, allow_empty_require: allowEmptyRequire = false } = operation;
      const options = upsertOptionsOf({ onmany, noadd, noupdate, allowEmptyRequire });
      return {
        actions: groups.map(({ require, fields }) => ["BulkAddOrUpdateRecord", table, require, fields, options]),
        resultOf(retValues) {
          const { recordIds } = mergeResults(count, groups, retValues as GroupResult[]);
          return { ids: Array.from({ length: count }, (_, at) => recordIds[at]?.[0] ?? null) };
        },
      };
    }
    case "delete": {
      const ids = readRowIds(operation.ids);
      return { actions: [["BulkRemoveRecord", table, ids]], resultOf: () => ({ ids }) };
    }
    default:
      return operation satisfies never;
  }
}

/** @throws AppError `forbidden` for metadata tables, if the caller's API key has only the scope of records */
function requireScopesFor({ actor }: DocumentGrant, table: string): void {
  const missingScope = metadataScopes(table, true).find((scope) => !hasScope(actor, scope));
  if (!missingScope) return;
  throw new AppError("scope.missing", `The API key lacks the scope ${missingScope}`, { details: { missingScope } });
}

function requireDistinctNames(operations: readonly BatchOperation[]): void {
  const names = new Set<string>();
  for (const [at, { as }] of operations.entries()) {
    if (as === undefined) continue;
    if (names.has(as)) throw invalid(`Two operations have the name ${JSON.stringify(as)}`, { operation: at });
    names.add(as);
  }
}

/** Replaces each `{"$ref": "name.ids.0"}` by what it refers to. @throws AppError `invalid` */
function resolveReferences(value: unknown, results: ReadonlyMap<string, BatchResult>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, results));
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === "$ref") return resolveReference(first[1], results);
  // Without a prototype: columns may have names such as `__proto__`.
  const resolved = Object.create(null) as Record<string, unknown>;
  for (const [name, item] of entries) resolved[name] = resolveReferences(item, results);
  return resolved;
}

const REFERENCE = /^(\w+)\.ids(?:\.(\d{1,9}))?$/;

function resolveReference(path: unknown, results: ReadonlyMap<string, BatchResult>): unknown {
  const [, name = "", index] = (typeof path === "string" && REFERENCE.exec(path)) || [];
  const ids = results.get(name)?.ids;
  const found = index === undefined ? ids : ids?.[Number(index)];
  if (found !== undefined && found !== null) return found;
  throw invalid(`"$ref": ${JSON.stringify(path)} names no id of an earlier operation`);
}

/** Adds the index of the operation that was refused. */
function ofOperation(error: AppError, index: number): AppError {
  const { reason, message, details, retryAfterS, cause } = error;
  return new AppError(reason, message, {
    details: { ...details, operation: index },
    ...(retryAfterS !== undefined && { retryAfterS }),
    ...(cause !== undefined && { cause }),
  });
}
