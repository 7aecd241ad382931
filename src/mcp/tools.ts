/** All tools, in the order of the list. At most 15, with at most 20 KB: clients put the list into each prompt. */
import { describeDocument, findDocuments, searchRows } from "./tools/documents.ts";
import { aggregateRecords, queryRecords, querySql } from "./tools/query.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  findDocuments,
  searchRows,
  describeDocument,
  queryRecords,
  querySql,
  aggregateRecords,
];
