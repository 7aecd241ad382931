import { quote } from "../../sqlite/quote.ts";
import { columnType } from "../../values/column-type.ts";
import type { UserInfo } from "../user-info.ts";
import { RuleObject, ruleValue, type RuleValue } from "./predicates/rule-values.ts";
import type { RulesSource } from "./stored-rules.ts";

/** A user attribute: `user.<name>` is the first row of a table that matches a property of the user. */
export interface UserAttribute {
  readonly name: string;
  readonly tableId: string;
  /** The column to search. */
  readonly lookupColId: string;
  /** The property to search for: `Email`, or a path into the link parameters such as `LinkKey.Code`. */
  readonly charId: string;
}

/** Parses the stored definition of an attribute; returns null when it is invalid. */
export function parseUserAttribute(json: string): UserAttribute | null {
  const value = parseObject(json);
  const { name, tableId, lookupColId, charId } = value ?? {};
  const isWhole = [name, tableId, lookupColId, charId].every((field) => typeof field === "string" && field !== "");
  return isWhole ? ({ name, tableId, lookupColId, charId } as UserAttribute) : null;
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The caller as conditions see them. Attributes are looked up on first use and cached. */
export interface RuleUser {
  readonly attributes: RuleObject;
  /** Looks up all attributes now, for use while the document keeps changing. */
  lookUpAll(): void;
}

export function createRuleUser(user: UserInfo, attributes: readonly UserAttribute[], source: RulesSource): RuleUser {
  const values = builtInAttributes(user);
  for (const attribute of attributes) {
    // Built-in properties and earlier attributes take precedence.
    if (values.has(attribute.name)) continue;
    let lookedUp: { row: RuleValue } | undefined;
    values.set(
      attribute.name,
      () => (lookedUp ??= { row: lookUp(source, attribute, lookupValueOf(user, attribute)) }).row,
    );
  }
  return {
    attributes: new RuleObject((name) => values.get(name)?.()),
    lookUpAll() {
      for (const value of values.values()) value();
    },
  };
}

function builtInAttributes(user: UserInfo): Map<string, () => RuleValue> {
  const linkKey = new RuleObject((name) => (Object.hasOwn(user.linkKey, name) ? user.linkKey[name] : undefined));
  return new Map<string, () => RuleValue>([
    ["Access", () => user.access],
    ["Email", () => user.email],
    ["Name", () => user.name],
    ["UserID", () => user.userId],
    ["UserRef", () => user.userRef],
    ["SessionID", () => user.sessionId],
    ["Origin", () => user.origin],
    ["IsLoggedIn", () => user.isLoggedIn],
    ["ShareRef", () => user.shareRef ?? null],
    ["LinkKey", () => linkKey],
  ]);
}

/** Returns the property of the user at a name or path; an attribute cannot be based on another attribute. */
function lookupValueOf(user: UserInfo, { charId }: UserAttribute): RuleValue {
  const [name = "", ...path] = charId.split(".");
  let value = builtInAttributes(user).get(name)?.();
  for (const step of path) value = value instanceof RuleObject ? value.get(step) : undefined;
  return value;
}

/** Result of a lookup without a match: every attribute of it is None. */
const NO_ROW_FOUND = new RuleObject(() => null);

/** Returns the first row whose column equals the value; undefined when the table or column does not exist. */
function lookUp({ db, schema }: RulesSource, attribute: UserAttribute, value: RuleValue): RuleValue {
  const table = schema.tableById.get(attribute.tableId);
  const column = table?.columnById.get(attribute.lookupColId);
  if (!table?.isStored || !column?.isStored) return undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return NO_ROW_FOUND;
  const collation = attribute.charId === "Email" ? "collate nocase" : "";
  const columns = table.columns.filter(({ isStored }) => isStored);
  const [row] = db.values(
    `select ${["id", ...columns.map(({ id }) => quote(id))].join(", ")} from ${quote(table.id)}
     where ${quote(column.id)} = ? ${collation} order by id limit 1`,
    typeof value === "boolean" ? Number(value) : value,
  );
  if (!row) return NO_ROW_FOUND;
  const cells = new Map(columns.map(({ id, type }, c) => [id, columnType(type).decode(row[c + 1] ?? null)]));
  return new RuleObject((name) => (name === "id" ? Number(row[0]) : ruleValue(cells.get(name))));
}
