import type { DocumentGrant } from "../access.ts";
import type { Bundle, UserAction } from "../doc/actions/engine.ts";
import type { OpenDocument } from "../doc/document.ts";
import { undoSince } from "../doc/history/restore.ts";
import { undoOf } from "../doc/history/undo.ts";
import { hashWithoutContent } from "../doc/history/states.ts";
import { isNarrowed } from "../doc/read/seen.ts";
import { findReadTable } from "../doc/read/table.ts";
import { userInfo } from "../doc/user-info.ts";
import { invalidPayload, refused } from "../errors.ts";
import { FROZEN } from "../errors/frozen-sentences.ts";
import { parseJson } from "../payload.ts";
import {
  addedData,
  addedRecords,
  modifiedData,
  modifiedRecords,
  rowIds,
  upsertedRecords,
  type UpsertGroup,
} from "./record-bodies.ts";
import { conversionVerbs } from "./conversion-verbs.ts";
import { schemaVerbs } from "./schema-verbs.ts";
import { verb } from "./verb.ts";
import { applyFor, type Written, written } from "./write.ts";

interface TableArgs {
  /** Id, or number as digits; metadata tables too. */
  readonly table: string;
  /** JSON as received. */
  readonly body: Uint8Array | null;
}

interface ParsedArgs extends TableArgs {
  /** Texts stay as they are. */
  readonly noparse: boolean;
}

interface AddArgs extends ParsedArgs {
  /** The body may be a list of fields. */
  readonly flat: boolean;
}

interface UpsertArgs extends ParsedArgs {
  /** `first`, `none` or `all`; empty counts as absent. */
  readonly onmany?: string | undefined;
  readonly noadd: boolean;
  readonly noupdate: boolean;
  readonly allowEmptyRequire: boolean;
}

interface UndoArgs {
  /** The number of a state. */
  readonly state: number;
}

interface ApplyArgs {
  readonly noparse: boolean;
  readonly body: Uint8Array | null;
}

const WRITES = { needs: "editors", underRules: "kept", commits: "together" } as const;

/** The verbs that change a document, one entry each. Bodies are parsed and checked here; answers are JSON as bytes. */
export const writeVerbs = {
  "records.add": verb({ ...WRITES, run: addRecords }),
  "records.modify": verb({ ...WRITES, run: modifyRecords }),
  "records.upsert": verb({ ...WRITES, run: upsertRecords }),
  "records.delete": verb({ ...WRITES, run: deleteRecords }),
  "data.add": verb({ ...WRITES, run: addData }),
  "data.modify": verb({ ...WRITES, run: modifyData }),
  "data.delete": verb({ ...WRITES, run: deleteRecords }),
  "actions.apply": verb({ ...WRITES, run: applyActions }),
  "states.undo": verb({ ...WRITES, run: undoState }),
  "states.restore": verb({ needs: "owners", underRules: "copies", run: restoreState }),
  ...schemaVerbs,
  ...conversionVerbs,
};

function addRecords(document: OpenDocument, grant: DocumentGrant, args: AddArgs): Written {
  const { count, columns } = addedRecords(args.body, args);
  const ids = addRows(document, grant, args, { count, columns });
  return written({ records: ids.map((id) => ({ id })) });
}

function addData(document: OpenDocument, grant: DocumentGrant, args: ParsedArgs): Written {
  return written(addRows(document, grant, args, addedData(args.body)));
}

function addRows(
  document: OpenDocument,
  grant: DocumentGrant,
  args: ParsedArgs,
  { count, columns }: { count: number; columns: object },
): number[] {
  const ids = Array.from({ length: count }, () => null);
  const table = tableId(document, args);
  const { retValues } = applyFor(document, grant, [["BulkAddRecord", table, ids, columns]], {
    ...args,
    storesRecords: true,
  });
  return retValues[0] as number[];
}

function modifyRecords(document: OpenDocument, grant: DocumentGrant, args: ParsedArgs): Written {
  const { ids, columns } = modifiedRecords(args.body);
  applyFor(document, grant, [["BulkUpdateRecord", tableId(document, args), ids, columns]], args);
  return written(null);
}

function modifyData(document: OpenDocument, grant: DocumentGrant, args: ParsedArgs): Written {
  const { ids, columns } = modifiedData(args.body);
  applyFor(document, grant, [["BulkUpdateRecord", tableId(document, args), ids, columns]], args);
  return written(ids);
}

function deleteRecords(document: OpenDocument, grant: DocumentGrant, args: TableArgs): Written {
  const ids = rowIds(args.body);
  applyFor(document, grant, [["BulkRemoveRecord", tableId(document, args), ids]], { noparse: true });
  return written(null);
}

const ON_MANY: ReadonlySet<string> = new Set(["first", "none", "all"]);

function upsertRecords(document: OpenDocument, grant: DocumentGrant, args: UpsertArgs): Written {
  const onMany = args.onmany || "first";
  if (!ON_MANY.has(onMany)) throw refused(FROZEN.unknownOnMany, onMany);
  const { count, groups } = upsertedRecords(args.body);
  const table = tableId(document, args);
  const options = {
    on_many: onMany,
    add: !args.noadd,
    update: !args.noupdate,
    allow_empty_require: args.allowEmptyRequire,
  };
  const actions = groups.map(({ require, fields }) => ["BulkAddOrUpdateRecord", table, require, fields, options]);
  const { retValues } = applyFor(document, grant, actions, { ...args, storesRecords: true });
  return written(joinResults(count, groups, retValues as GroupResult[]));
}

interface GroupResult {
  readonly recordIds: number[][];
  readonly addRecordIds: number[];
  readonly updateRecordIds: number[][];
}

/** The results of the groups, by the order of the request where they tell of single records. */
function joinResults(count: number, groups: readonly UpsertGroup[], results: readonly GroupResult[]): GroupResult {
  const recordIds = Array.from({ length: count }, (): number[] => []);
  for (const [g, { members }] of groups.entries()) {
    for (const [k, index] of members.entries()) recordIds[index] = results[g]?.recordIds[k] ?? [];
  }
  // A request that names no columns at all speaks of no records.
  const isNothing = groups.every((group) => Object.keys({ ...group.require, ...group.fields }).length === 0);
  return {
    recordIds: isNothing ? [] : recordIds,
    addRecordIds: results.flatMap((result) => result.addRecordIds),
    updateRecordIds: results.flatMap((result) => result.updateRecordIds),
  };
}

function applyActions(document: OpenDocument, grant: DocumentGrant, args: ApplyArgs): Written {
  const actions = parseJson(args.body);
  if (!Array.isArray(actions)) throw invalidPayload("Error: body must be a list of actions");
  const bad = actions.findIndex((action) => !Array.isArray(action));
  if (bad >= 0) throw invalidPayload(`Error: body[${bad}] must be a list: an action's name and arguments`);
  return applied(document, grant, applyFor(document, grant, actions as UserAction[], args));
}

function undoState(document: OpenDocument, grant: DocumentGrant, { state }: UndoArgs): Written {
  const actions = undoOf(document, state, userInfo(grant).email);
  const options = { noparse: true, restores: true };
  return applied(document, grant, applyFor(document, grant, [["ApplyUndoActions", actions]], options));
}

/** Every rule holds that holds for who does it step by step. */
function restoreState(document: OpenDocument, grant: DocumentGrant, { state }: UndoArgs): Written {
  const actions = undoSince(document, state);
  if (actions.length === 0) return written({ actionNum: 0, actionHash: null, retValues: [], isModification: false });
  const options = { noparse: true, restores: true, note: `Restored state ${state}` };
  return applied(document, grant, applyFor(document, grant, [["ApplyUndoActions", actions]], options));
}

function applied(
  document: OpenDocument,
  grant: DocumentGrant,
  { stored, calculated, retValues, state }: Bundle,
): Written {
  const isModification = stored.length + calculated.length > 0;
  const { actionNum = 0 } = state ?? {};
  const isHashHidden = state !== null && isNarrowed(document, grant);
  const actionHash = isHashHidden ? hashWithoutContent(actionNum) : (state?.actionHash ?? null);
  return written({ actionNum, actionHash, retValues, isModification });
}

/** @throws AppError `notFound` when there is no such table */
const tableId = (document: OpenDocument, { table }: { table: string }): string =>
  findReadTable(document.schema, table).id;
