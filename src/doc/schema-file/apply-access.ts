import { isDeepStrictEqual } from "node:util";
import type { FileAccess, FileRule } from "../../exchange/schema-file/model.ts";
import { AppError } from "../../errors.ts";
import type { InferredType } from "../../formula/names/inferred-type.ts";
import { checkRules } from "../rules/check-rules.ts";
import type { Application, Steps } from "./application.ts";
import { describeAccess } from "./describe-access.ts";
import { FormerNames, recordGlobals } from "./former-names.ts";
import { SchemaKeys } from "./schema-keys.ts";
import type { WantedTable } from "./wanted-schema.ts";

const RULES = "_grist_ACLRules";
const RESOURCES = "_grist_ACLResources";

/** A resource and its rules, as documents store them. */
interface Resource {
  readonly tableId: string;
  readonly colIds: string;
  readonly rules: readonly Readonly<Record<"aclFormula" | "permissionsText" | "userAttributes" | "memo", string>>[];
}

/** Replaces the access rules by those of the file, if they differ. @throws AppError `schema.locks_out` */
export function* changeAccess(application: Application, file: FileAccess): Steps {
  const { document } = application;
  const access = withPresentNames(application, file);
  if (isDeepStrictEqual(describeAccess(document, keysOf(application)), access)) return;
  listChanges(application, describeAccess(document, keysOf(application)), access);
  for (const table of [RULES, RESOURCES]) {
    const ids = document.db.values(`select id from ${table} order by id`).map(([id]) => Number(id));
    if (ids.length > 0) yield ["BulkRemoveRecord", table, ids];
  }
  const resources = resourcesOf(application, access).filter(({ rules }) => rules.length > 0);
  if (resources.length === 0) return;
  const ids: number[] = yield* application.run([
    "BulkAddRecord",
    RESOURCES,
    resources.map(() => null),
    { tableId: resources.map(({ tableId }) => tableId), colIds: resources.map(({ colIds }) => colIds) },
  ]);
  const rules = resources.flatMap((resource, at) =>
    resource.rules.map((rule) => ({ ...rule, resource: ids[at] ?? 0 })),
  );
  yield [
    "BulkAddRecord",
    RULES,
    rules.map(() => null),
    {
      resource: rules.map(({ resource }) => resource),
      aclFormula: rules.map(({ aclFormula }) => aclFormula),
      permissionsText: rules.map(({ permissionsText }) => permissionsText),
      userAttributes: rules.map(({ userAttributes }) => userAttributes),
      memo: rules.map(({ memo }) => memo),
      rulePos: rules.map((_, at) => at + 1),
    },
  ];
  refuseLockOut(application);
}

/** The keys of the file, which are recorded when the change is complete. */
const keysOf = (application: Application): SchemaKeys => new SchemaKeys(application.document, wantedKeys(application));

/** Returns the keys of the tables and columns of the file by their numbers. */
export function wantedKeys({ match }: Application): ReadonlyMap<string, string> {
  return new Map([
    ...[...match.tables].map(([{ key }, ref]) => [`table:${ref}`, key] as const),
    ...[...match.columns].map(([{ key }, ref]) => [`column:${ref}`, key] as const),
  ]);
}

/** @throws AppError `schema.locks_out` if the caller could not read and change the rules afterwards */
function refuseLockOut({ document, user }: Application): void {
  // Rules that cannot be parsed deny everything, and have a refusal of their own.
  checkRules(document);
  const rules = document.accessOf(user);
  if (!rules || (rules.mayCopyEverything && rules.maySeeAccessRules && rules.structure !== "deny")) return;
  throw new AppError(
    "schema.locks_out",
    "With these access rules you could no longer edit access rules: allow yourself to read everything, AccessRules and FullCopies, and the permission S for everything",
  );
}

function withPresentNames(application: Application, file: FileAccess): FileAccess {
  const names = new FormerNames(application);
  const idOf = (key: string) => {
    const table = application.tableByKey(key);
    return table ? (application.tableOf(table)?.id ?? null) : null;
  };
  const attributes = Object.fromEntries(
    (file.userAttributes ?? []).map(({ name, table }) => [name, idOf(table) ?? ""]),
  );
  const globalsFor = (table: string | null) =>
    new Map<string, InferredType>([
      ["user", { kind: "object", attributes: recordGlobals(attributes) }],
      ...recordGlobals(table === null ? {} : { rec: table, newRec: table }),
    ]);
  const convert = (rules: readonly FileRule[], table: string | null): FileRule[] =>
    rules.map(({ if: condition = "", permissions, memo = "" }) => ({
      ...(condition !== "" && { if: names.inCondition(condition, globalsFor(table)) }),
      permissions,
      ...(memo !== "" && { memo }),
    }));
  const tables = Object.entries(file.tables ?? {}).flatMap(([key, { rules = [], columns = [] }]) => {
    const table = idOf(key);
    const sets = columns
      .filter((set) => set.rules.length > 0)
      .map((set) => ({ columns: set.columns, rules: convert(set.rules, table) }));
    const own = {
      ...(sets.length > 0 && { columns: sets }),
      ...(rules.length > 0 && { rules: convert(rules, table) }),
    };
    return Object.keys(own).length > 0 ? [[key, own] as const] : [];
  });
  const special = Object.entries(file.special ?? {}).filter(([, rules]) => rules.length > 0);
  const everything = file.default ?? [];
  return {
    ...(file.userAttributes && file.userAttributes.length > 0 && { userAttributes: file.userAttributes }),
    ...(tables.length > 0 && { tables: Object.fromEntries(tables) }),
    ...(everything.length > 0 && { default: convert(everything, null) }),
    ...(special.length > 0 && {
      special: Object.fromEntries(special.map(([name, rules]) => [name, convert(rules, null)])),
    }),
  };
}

function listChanges(application: Application, before: FileAccess, after: FileAccess): void {
  const compare = (path: readonly string[], own: unknown, other: unknown, what: string) => {
    if (!isDeepStrictEqual(own, other)) application.add("change", ["access", ...path], `Change ${what}`);
  };
  compare(["userAttributes"], before.userAttributes, after.userAttributes, "the user attributes of access rules");
  compare(["default"], before.default, after.default, "the default access rules");
  const names = (one: object = {}, other: object = {}) => [...new Set([...Object.keys(one), ...Object.keys(other)])];
  for (const key of names(before.tables, after.tables)) {
    compare(
      ["tables", key],
      before.tables?.[key],
      after.tables?.[key],
      `the access rules of the table with the key ${key}`,
    );
  }
  for (const name of names(before.special, after.special)) {
    compare(["special", name], before.special?.[name], after.special?.[name], `the access rules of ${name}`);
  }
}

function resourcesOf(application: Application, access: FileAccess): Resource[] {
  const idsOf = (table: WantedTable, columns: readonly string[]) =>
    columns.map((key) => application.columnByKey(table, key)?.id ?? "").join(",");
  const { userAttributes = [], tables = {}, default: everything = [], special = {} } = access;
  const attributes = userAttributes.map(({ name, table: key, column, property }) => {
    const table = application.tableByKey(key);
    const tableId = (table && application.tableOf(table)?.id) ?? "";
    const lookupColId = table ? idsOf(table, [column]) : "";
    const attribute = JSON.stringify({ name, tableId, lookupColId, charId: property });
    return { aclFormula: "", permissionsText: "", userAttributes: attribute, memo: "" };
  });
  return [
    ...Object.entries(tables).flatMap(([key, { rules = [], columns = [] }]): Resource[] => {
      const table = application.tableByKey(key);
      const tableId = (table && application.tableOf(table)?.id) ?? "";
      if (!table) return [];
      return [
        ...columns.map((set) => ({ tableId, colIds: idsOf(table, set.columns), rules: set.rules.map(storedRule) })),
        { tableId, colIds: "*", rules: rules.map(storedRule) },
      ];
    }),
    { tableId: "*", colIds: "*", rules: [...attributes, ...everything.map(storedRule)] },
    ...Object.entries(special).map(([name, rules]) => ({
      tableId: "*SPECIAL",
      colIds: name,
      rules: rules.map(storedRule),
    })),
  ];
}

const storedRule = ({ if: aclFormula = "", permissions, memo = "" }: FileRule): Resource["rules"][number] => ({
  aclFormula,
  permissionsText: permissions,
  userAttributes: "",
  memo,
});
