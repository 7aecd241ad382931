/**
 * The tables that every document file has besides user tables: metadata (`_grist_…`) and internal tables of the file
 * format (`_gristsys_…`). No version renamed or dropped any, so these lists also determine what an older file lacks.
 */

export interface MetadataColumn {
  readonly id: string;
  /** A column type in the notation of user columns. */
  readonly type: string;
}

export interface MetadataTable {
  readonly id: string;
  readonly columns: readonly MetadataColumn[];
}

/** The `_grist_DocInfo.schemaVersion` that this server writes. */
export const SCHEMA_VERSION = 46;
/** The `PRAGMA user_version` that this server writes: the version of the storage format of cells. */
export const STORAGE_VERSION = 9;

const table = (id: string, columns: Record<string, string>): MetadataTable => ({
  id: `_grist_${id}`,
  columns: Object.entries(columns).map(([column, type]) => ({
    id: column,
    type: type.replace(/^(Ref|RefList) /, "$1:_grist_"),
  })),
});

/** All metadata tables of schema version 46, in creation order. `Ref X` is short for `Ref:_grist_X`. */
export const METADATA_TABLES: readonly MetadataTable[] = [
  table("DocInfo", {
    docId: "Text",
    peers: "Text",
    basketId: "Text",
    schemaVersion: "Int",
    timezone: "Text",
    documentSettings: "Text",
  }),
  table("Tables", {
    tableId: "Text",
    primaryViewId: "Ref Views",
    summarySourceTable: "Ref Tables",
    onDemand: "Bool",
    rawViewSectionRef: "Ref Views_section",
    recordCardViewSectionRef: "Ref Views_section",
  }),
  table("Tables_column", {
    parentId: "Ref Tables",
    parentPos: "PositionNumber",
    colId: "Text",
    type: "Text",
    widgetOptions: "Text",
    isFormula: "Bool",
    formula: "Text",
    label: "Text",
    description: "Text",
    untieColIdFromLabel: "Bool",
    summarySourceCol: "Ref Tables_column",
    displayCol: "Ref Tables_column",
    visibleCol: "Ref Tables_column",
    rules: "RefList Tables_column",
    reverseCol: "Ref Tables_column",
    recalcWhen: "Int",
    recalcDeps: "RefList Tables_column",
  }),
  table("Imports", {
    tableRef: "Ref Tables",
    origFileName: "Text",
    parseFormula: "Text",
    delimiter: "Text",
    doublequote: "Bool",
    escapechar: "Text",
    quotechar: "Text",
    skipinitialspace: "Bool",
    encoding: "Text",
    hasHeaders: "Bool",
  }),
  table("External_database", {
    host: "Text",
    port: "Int",
    username: "Text",
    dialect: "Text",
    database: "Text",
    storage: "Text",
  }),
  table("External_table", {
    tableRef: "Ref Tables",
    databaseRef: "Ref External_database",
    tableName: "Text",
  }),
  table("TableViews", {
    tableRef: "Ref Tables",
    viewRef: "Ref Views",
  }),
  table("TabItems", {
    tableRef: "Ref Tables",
    viewRef: "Ref Views",
  }),
  table("TabBar", {
    viewRef: "Ref Views",
    tabPos: "PositionNumber",
  }),
  table("Pages", {
    viewRef: "Ref Views",
    indentation: "Int",
    pagePos: "PositionNumber",
    shareRef: "Ref Shares",
    options: "Text",
  }),
  table("Views", {
    name: "Text",
    type: "Text",
    layoutSpec: "Text",
  }),
  table("Views_section", {
    tableRef: "Ref Tables",
    parentId: "Ref Views",
    parentKey: "Text",
    title: "Text",
    description: "Text",
    defaultWidth: "Int",
    borderWidth: "Int",
    theme: "Text",
    options: "Text",
    chartType: "Text",
    layoutSpec: "Text",
    filterSpec: "Text",
    sortColRefs: "Text",
    linkSrcSectionRef: "Ref Views_section",
    linkSrcColRef: "Ref Tables_column",
    linkTargetColRef: "Ref Tables_column",
    embedId: "Text",
    rules: "RefList Tables_column",
    shareOptions: "Text",
  }),
  table("Views_section_field", {
    parentId: "Ref Views_section",
    parentPos: "PositionNumber",
    colRef: "Ref Tables_column",
    width: "Int",
    widgetOptions: "Text",
    displayCol: "Ref Tables_column",
    visibleCol: "Ref Tables_column",
    filter: "Text",
    rules: "RefList Tables_column",
  }),
  table("Validations", {
    formula: "Text",
    name: "Text",
    tableRef: "Int",
  }),
  table("REPL_Hist", {
    code: "Text",
    outputText: "Text",
    errorText: "Text",
  }),
  table("Attachments", {
    fileIdent: "Text",
    fileName: "Text",
    fileType: "Text",
    fileSize: "Int",
    fileExt: "Text",
    imageHeight: "Int",
    imageWidth: "Int",
    timeDeleted: "DateTime",
    timeUploaded: "DateTime",
  }),
  table("Triggers", {
    tableRef: "Ref Tables",
    eventTypes: "ChoiceList",
    isReadyColRef: "Ref Tables_column",
    actions: "Text",
    label: "Text",
    memo: "Text",
    enabled: "Bool",
    watchedColRefList: "RefList Tables_column",
    options: "Text",
    condition: "Text",
  }),
  table("ACLRules", {
    resource: "Ref ACLResources",
    permissions: "Int",
    principals: "Text",
    aclFormula: "Text",
    aclColumn: "Ref Tables_column",
    aclFormulaParsed: "Text",
    permissionsText: "Text",
    rulePos: "PositionNumber",
    userAttributes: "Text",
    memo: "Text",
  }),
  table("ACLResources", {
    tableId: "Text",
    colIds: "Text",
  }),
  table("ACLPrincipals", {
    type: "Text",
    userEmail: "Text",
    userName: "Text",
    groupName: "Text",
    instanceId: "Text",
  }),
  table("ACLMemberships", {
    parent: "Ref ACLPrincipals",
    child: "Ref ACLPrincipals",
  }),
  table("Filters", {
    viewSectionRef: "Ref Views_section",
    colRef: "Ref Tables_column",
    filter: "Text",
    pinned: "Bool",
  }),
  table("Cells", {
    tableRef: "Ref Tables",
    colRef: "Ref Tables_column",
    rowId: "Int",
    root: "Bool",
    parentId: "Ref Cells",
    type: "Int",
    content: "Text",
    userRef: "Text",
    timeCreated: "DateTime",
    timeUpdated: "DateTime",
    resolved: "Bool",
  }),
  table("Shares", {
    linkId: "Text",
    options: "Text",
    label: "Text",
    description: "Text",
  }),
];

/** Metadata tables by exact id. */
export const METADATA_TABLE_BY_ID: ReadonlyMap<string, MetadataTable> = new Map(
  METADATA_TABLES.map((one) => [one.id, one]),
);

/** An internal table of the file format. */
export interface SystemTable {
  readonly id: string;
  /** The SQL definition of each column after `id`. */
  readonly columns: Readonly<Record<string, string>>;
  /** Creates the table if it does not exist. */
  readonly sql: string;
}

const systemTable = (id: string, columns: Record<string, string>, check = ""): SystemTable => ({
  id: `_gristsys_${id}`,
  columns,
  sql: `create table if not exists "_gristsys_${id}" (${[
    `id INTEGER PRIMARY KEY${check}`,
    ...Object.entries(columns).map(([column, definition]) => `"${column}" ${definition}`),
  ].join(", ")})`,
});

/** All internal tables of the file format, storage version 9. */
export const SYSTEM_TABLES: readonly SystemTable[] = [
  /** Contents of attachments; `storageId` is null where the bytes are in this file. */
  systemTable("Files", { ident: "TEXT UNIQUE", data: "BLOB", storageId: "TEXT" }),
  /** The original history format: kept empty. */
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

/** The indexes of the format; each requires its table. */
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
