import { AppError } from "../../errors.ts";
import type { SchemaFile } from "../../exchange/schema-file/model.ts";
import type { Problems } from "../../exchange/schema-file/problems.ts";
import type { OpenDocument } from "../document.ts";
import type { UserInfo } from "../user-info.ts";
import { changeAccess } from "./apply-access.ts";
import { changeColumns, changeSummaryKinds } from "./apply-columns.ts";
import { changeFormulas } from "./apply-formulas.ts";
import { changeDescriptions, changeOnDemand, changeSettings, changeWebhooks } from "./apply-settings.ts";
import { addTablesAndColumns, removeTablesAndColumns, renameTablesAndColumns, setTitles } from "./apply-tables.ts";
import { Application, type SchemaChange, type Steps } from "./application.ts";
import { checkWantedSchema } from "./check-wanted-schema.ts";
import { describeSchema } from "./describe-schema.ts";
import { formerIds } from "./former-names.ts";
import { matchSchema } from "./match-schema.ts";
import { recordKeys, SchemaKeys } from "./schema-keys.ts";
import { wantedTables } from "./wanted-schema.ts";

export type { SchemaChange } from "./application.ts";

export interface SchemaFileOptions {
  readonly file: SchemaFile;
  /** Collects what is wrong with the file. */
  readonly problems: Problems;
  readonly user: UserInfo;
  readonly allowDataLoss: boolean;
}

/** What applying a file did. */
export interface AppliedSchema {
  readonly changes: SchemaChange[];
  /** True if keys were recorded that the document did not have. */
  recordsKeys: boolean;
}

/**
 * Returns the actions that give a document the schema of a file, for `applyUserActions`, and what they change, which is
 * complete when all actions were applied. Parts that the file does not have stay as they are.
 * @throws AppError `schema.invalid` with all problems of the file, `schema.data_loss`, `schema.locks_out`
 */
export function schemaFileActions(
  document: OpenDocument,
  options: SchemaFileOptions,
): { actions: (retValues: readonly unknown[]) => Steps; applied: AppliedSchema } {
  const { problems, user } = options;
  const current = describeSchema(document);
  const file = { ...options.file, tables: options.file.tables ?? current.tables ?? {} };
  const wanted = wantedTables(file.tables);
  checkWantedSchema(file, wanted, problems);
  problems.check();
  const keys = new SchemaKeys(document);
  const match = matchSchema(document.schema, wanted, keys);
  const applied: AppliedSchema = { changes: [], recordsKeys: false };
  function* actions(retValues: readonly unknown[]): Steps {
    const application = new Application({ document, user, wanted, problems, match, keys }, retValues);
    yield* changeSettings(application, file.document ?? {});
    yield* removeTablesAndColumns(application);
    yield* setTitles(application);
    yield* renameTablesAndColumns(application);
    problems.check();
    yield* addTablesAndColumns(application);
    yield* changeOnDemand(application);
    yield* changeColumns(application);
    yield* changeFormulas(application);
    yield* settleSummaries(application);
    yield* changeDescriptions(application);
    if (file.access) yield* changeAccess(application, file.access);
    if (file.webhooks) yield* changeWebhooks(application, file.webhooks);
    problems.check();
    applied.changes.push(...application.changes);
    refuseDataLoss(applied.changes, options);
    applied.recordsKeys = recordAllKeys(application);
  }
  return { actions, applied };
}

/**
 * Columns of summaries with the same id and formula are one column to users, so that changing one changes all. Once they differ,
 * each gets what the file says about it.
 */
function* settleSummaries(application: Application): Steps {
  const { changes } = application;
  const listed = changes.length;
  yield* changeSummaryKinds(application);
  yield* changeFormulas(application);
  changes.length = listed;
}

/** @throws AppError `schema.data_loss` */
function refuseDataLoss(changes: readonly SchemaChange[], { allowDataLoss }: SchemaFileOptions): void {
  const losses = changes.filter(({ loss }) => loss);
  if (allowDataLoss || losses.length === 0) return;
  const listed = losses.slice(0, 5).map(({ message, loss = {} }) => `${message} (${describeLoss(loss)})`);
  const rest = losses.length - listed.length;
  throw new AppError(
    "schema.data_loss",
    `Data would be lost: ${listed.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`,
    { details: { changes: losses.slice(0, 100) } },
  );
}

export const describeLoss = ({ rows, cells }: NonNullable<SchemaChange["loss"]>): string =>
  rows !== undefined ? `${rows} ${rows === 1 ? "row" : "rows"}` : `${cells ?? 0} ${cells === 1 ? "cell" : "cells"}`;

function recordAllKeys(application: Application): boolean {
  const { match, schema, document } = application;
  const recorded = (kind: "table" | "column", ref: number, key: string, id: string | undefined) => ({
    kind,
    ref,
    recorded: {
      key,
      formerIds: formerIds(application, kind, { ref, key })
        .filter((name) => name !== id && name !== key)
        .toReversed(),
    },
  });
  const tables = [...match.tables].map(([{ key }, ref]) => recorded("table", ref, key, schema.tableByRef.get(ref)?.id));
  const columns = [...match.columns].map(([{ key }, ref]) =>
    recorded("column", ref, key, schema.columnByRef.get(ref)?.id),
  );
  return recordKeys(document.db, [...tables, ...columns]);
}
