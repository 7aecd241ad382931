/**
 * The tables that every document file has besides those of its user: what it says about itself (`_grist_…`), with the
 * version of the metadata that brought each table and column, and what the file format keeps for itself
 * (`_gristsys_…`). Nothing was ever renamed or dropped, so this list also tells what an older file lacks.
 */

export interface MetadataColumn {
  readonly id: string;
  /** A column type, as user columns have them. */
  readonly type: string;
  /** The version of the metadata that brought it; that of the table where not said. */
  readonly since?: number;
}

export interface MetadataTable {
  readonly id: string;
  /** The version of the metadata that brought it; 0 for what was always there. */
  readonly since: number;
  readonly columns: readonly MetadataColumn[];
}

/** `_grist_DocInfo.schemaVersion` of what this program writes. */
export const SCHEMA_VERSION = 46;
/** `PRAGMA user_version` of what this program writes: how cells lie in the file. */
export const STORAGE_VERSION = 9;

const table = (id: string, since: number, columns: readonly (readonly [string, string, number?])[]): MetadataTable => ({
  id: `_grist_${id}`,
  since,
  columns: columns.map(([column, type, columnSince]) => ({
    id: column,
    type: type.replace(/^(Ref|RefList) /, "$1:_grist_"),
    ...(columnSince === undefined ? {} : { since: columnSince }),
  })),
});

/** Every metadata table of schema version 46, in the order in which they are made. `Ref X` stands for `Ref:_grist_X`. */
export const METADATA_TABLES: readonly MetadataTable[] = [
  table("DocInfo", 0, [
    ["docId", "Text"],
    ["peers", "Text"],
    ["basketId", "Text", 13],
    ["schemaVersion", "Int", 1],
    ["timezone", "Text", 18],
    ["documentSettings", "Text", 23],
  ]),
  table("Tables", 0, [
    ["tableId", "Text"],
    ["primaryViewId", "Ref Views", 2],
    ["summarySourceTable", "Ref Tables", 7],
    ["onDemand", "Bool", 19],
    ["rawViewSectionRef", "Ref Views_section", 26],
    ["recordCardViewSectionRef", "Ref Views_section", 40],
  ]),
  table("Tables_column", 0, [
    ["parentId", "Ref Tables"],
    ["parentPos", "PositionNumber"],
    ["colId", "Text"],
    ["type", "Text"],
    ["widgetOptions", "Text"],
    ["isFormula", "Bool"],
    ["formula", "Text"],
    ["label", "Text"],
    ["description", "Text", 36],
    ["untieColIdFromLabel", "Bool", 8],
    ["summarySourceCol", "Ref Tables_column", 7],
    ["displayCol", "Ref Tables_column", 9],
    ["visibleCol", "Ref Tables_column", 16],
    ["rules", "RefList Tables_column", 27],
    ["reverseCol", "Ref Tables_column", 43],
    ["recalcWhen", "Int", 22],
    ["recalcDeps", "RefList Tables_column", 22],
  ]),
  table("Imports", 0, [
    ["tableRef", "Ref Tables"],
    ["origFileName", "Text"],
    ["parseFormula", "Text"],
    ["delimiter", "Text"],
    ["doublequote", "Bool"],
    ["escapechar", "Text"],
    ["quotechar", "Text"],
    ["skipinitialspace", "Bool"],
    ["encoding", "Text"],
    ["hasHeaders", "Bool"],
  ]),
  table("External_database", 0, [
    ["host", "Text"],
    ["port", "Int"],
    ["username", "Text"],
    ["dialect", "Text"],
    ["database", "Text"],
    ["storage", "Text"],
  ]),
  table("External_table", 0, [
    ["tableRef", "Ref Tables"],
    ["databaseRef", "Ref External_database"],
    ["tableName", "Text"],
  ]),
  table("TableViews", 2, [
    ["tableRef", "Ref Tables"],
    ["viewRef", "Ref Views"],
  ]),
  table("TabItems", 1, [
    ["tableRef", "Ref Tables"],
    ["viewRef", "Ref Views"],
  ]),
  table("TabBar", 2, [
    ["viewRef", "Ref Views"],
    ["tabPos", "PositionNumber", 4],
  ]),
  table("Pages", 20, [
    ["viewRef", "Ref Views"],
    ["indentation", "Int"],
    ["pagePos", "PositionNumber"],
    ["shareRef", "Ref Shares", 41],
    ["options", "Text", 44],
  ]),
  table("Views", 0, [
    ["name", "Text"],
    ["type", "Text"],
    ["layoutSpec", "Text"],
  ]),
  table("Views_section", 0, [
    ["tableRef", "Ref Tables"],
    ["parentId", "Ref Views"],
    ["parentKey", "Text"],
    ["title", "Text"],
    ["description", "Text", 39],
    ["defaultWidth", "Int"],
    ["borderWidth", "Int"],
    ["theme", "Text"],
    ["options", "Text", 12],
    ["chartType", "Text"],
    ["layoutSpec", "Text"],
    ["filterSpec", "Text"],
    ["sortColRefs", "Text"],
    ["linkSrcSectionRef", "Ref Views_section"],
    ["linkSrcColRef", "Ref Tables_column"],
    ["linkTargetColRef", "Ref Tables_column"],
    ["embedId", "Text", 11],
    ["rules", "RefList Tables_column", 32],
    ["shareOptions", "Text", 41],
  ]),
  table("Views_section_field", 0, [
    ["parentId", "Ref Views_section"],
    ["parentPos", "PositionNumber"],
    ["colRef", "Ref Tables_column"],
    ["width", "Int"],
    ["widgetOptions", "Text"],
    ["displayCol", "Ref Tables_column", 9],
    ["visibleCol", "Ref Tables_column", 16],
    ["filter", "Text", 15],
    ["rules", "RefList Tables_column", 27],
  ]),
  table("Validations", 0, [
    ["formula", "Text"],
    ["name", "Text"],
    ["tableRef", "Int"],
  ]),
  table("REPL_Hist", 0, [
    ["code", "Text"],
    ["outputText", "Text"],
    ["errorText", "Text"],
  ]),
  table("Attachments", 1, [
    ["fileIdent", "Text"],
    ["fileName", "Text"],
    ["fileType", "Text"],
    ["fileSize", "Int"],
    ["fileExt", "Text", 37],
    ["imageHeight", "Int"],
    ["imageWidth", "Int"],
    ["timeDeleted", "DateTime", 28],
    ["timeUploaded", "DateTime"],
  ]),
  table("Triggers", 24, [
    ["tableRef", "Ref Tables"],
    ["eventTypes", "ChoiceList"],
    ["isReadyColRef", "Ref Tables_column"],
    ["actions", "Text"],
    ["label", "Text", 39],
    ["memo", "Text", 39],
    ["enabled", "Bool", 39],
    ["watchedColRefList", "RefList Tables_column", 42],
    ["options", "Text", 42],
    ["condition", "Text", 46],
  ]),
  table("ACLRules", 14, [
    ["resource", "Ref ACLResources"],
    ["permissions", "Int"],
    ["principals", "Text"],
    ["aclFormula", "Text"],
    ["aclColumn", "Ref Tables_column"],
    ["aclFormulaParsed", "Text", 21],
    ["permissionsText", "Text", 21],
    ["rulePos", "PositionNumber", 21],
    ["userAttributes", "Text", 21],
    ["memo", "Text", 35],
  ]),
  table("ACLResources", 14, [
    ["tableId", "Text"],
    ["colIds", "Text"],
  ]),
  table("ACLPrincipals", 14, [
    ["type", "Text"],
    ["userEmail", "Text"],
    ["userName", "Text"],
    ["groupName", "Text"],
    ["instanceId", "Text"],
  ]),
  table("ACLMemberships", 14, [
    ["parent", "Ref ACLPrincipals"],
    ["child", "Ref ACLPrincipals"],
  ]),
  table("Filters", 25, [
    ["viewSectionRef", "Ref Views_section"],
    ["colRef", "Ref Tables_column"],
    ["filter", "Text"],
    ["pinned", "Bool", 34],
  ]),
  table("Cells", 33, [
    ["tableRef", "Ref Tables"],
    ["colRef", "Ref Tables_column"],
    ["rowId", "Int"],
    ["root", "Bool"],
    ["parentId", "Ref Cells"],
    ["type", "Int"],
    ["content", "Text"],
    ["userRef", "Text"],
    ["timeCreated", "DateTime", 45],
    ["timeUpdated", "DateTime", 45],
    ["resolved", "Bool", 45],
  ]),
  table("Shares", 41, [
    ["linkId", "Text"],
    ["options", "Text"],
    ["label", "Text"],
    ["description", "Text"],
  ]),
];

/** By id, in exact case. */
export const METADATA_TABLE_BY_ID: ReadonlyMap<string, MetadataTable> = new Map(
  METADATA_TABLES.map((one) => [one.id, one]),
);

/** A table of the file format itself. Statements can be run where they are there already. */
export interface SystemTable {
  readonly id: string;
  readonly columns: readonly string[];
  readonly sql: string;
}

const systemTable = (id: string, columns: Record<string, string>, unique = ""): SystemTable => ({
  id: `_gristsys_${id}`,
  columns: ["id", ...Object.keys(columns)],
  sql: `create table if not exists "_gristsys_${id}" (id INTEGER PRIMARY KEY${unique}, ${Object.entries(columns)
    .map(([column, definition]) => `"${column}" ${definition}`)
    .join(", ")})`,
});

/** Every table of the file format, of storage version 9. */
export const SYSTEM_TABLES: readonly SystemTable[] = [
  /** Contents of attachments; `storageId` is null where the bytes are in this file. */
  systemTable("Files", { ident: "TEXT UNIQUE", data: "BLOB", storageId: "TEXT" }),
  /** The first kind of history: kept empty. */
  systemTable("Action", {
    actionNum: "BLOB DEFAULT 0",
    time: "BLOB DEFAULT 0",
    user: "BLOB DEFAULT ''",
    desc: "BLOB DEFAULT ''",
    otherId: "BLOB DEFAULT 0",
    linkId: "BLOB DEFAULT NULL",
    json: "BLOB DEFAULT ''",
  }),
  systemTable("Action_step", {
    parentId: "BLOB DEFAULT 0",
    type: "BLOB DEFAULT ''",
    name: "BLOB DEFAULT ''",
    tableId: "BLOB DEFAULT ''",
    colIds: "BLOB DEFAULT ''",
    rowIds: "BLOB DEFAULT ''",
    values: "BLOB DEFAULT ''",
    json: "BLOB DEFAULT ''",
  }),
  systemTable("ActionHistory", {
    actionHash: "TEXT UNIQUE",
    parentRef: "INTEGER",
    actionNum: "INTEGER",
    body: "BLOB",
  }),
  systemTable("ActionHistoryBranch", { name: "TEXT UNIQUE", actionRef: "INTEGER" }),
  systemTable("FileInfo", { docId: "TEXT DEFAULT ''", ownerInstanceId: "TEXT DEFAULT ''" }, " CHECK (id = 0)"),
  systemTable("PluginData", { pluginId: "TEXT NOT NULL", key: "TEXT NOT NULL", value: "BLOB DEFAULT ''" }),
];

/** The indexes of the format; each can be made when its table is there. */
export const SYSTEM_INDEXES: readonly { readonly table: string; readonly sql: string }[] = [
  {
    table: "_gristsys_PluginData",
    sql: `create unique index if not exists _gristsys_PluginData_unique_key on _gristsys_PluginData (pluginId, key)`,
  },
  {
    table: "_grist_Attachments",
    sql: `create index if not exists _grist_Attachments_fileIdent on _grist_Attachments (fileIdent)`,
  },
];

/** The branches of the history; all point to the newest state. */
export const HISTORY_BRANCHES = ["shared", "local_sent", "local_unsent"] as const;
