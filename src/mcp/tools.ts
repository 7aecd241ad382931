/** All tools, in the order of the list. At most 15, with at most 20 KB: clients put the list into each prompt. */
import type { Tool } from "./tool.ts";
import { describeDocument, findDocuments, searchRows } from "./tools/documents.ts";
import { explainCell, listHistory, undoMyChanges } from "./tools/history.ts";
import { aggregateRecords, queryRecords, querySql } from "./tools/query.ts";
import { addRecords, deleteRecords, updateRecords, upsertRecords } from "./tools/records.ts";
import { changeSchema, writeFormula } from "./tools/schema.ts";

export const TOOLS: readonly Tool[] = [
  findDocuments,
  searchRows,
  describeDocument,
  queryRecords,
  querySql,
  aggregateRecords,
  explainCell,
  addRecords,
  updateRecords,
  upsertRecords,
  deleteRecords,
  changeSchema,
  writeFormula,
  listHistory,
  undoMyChanges,
];
