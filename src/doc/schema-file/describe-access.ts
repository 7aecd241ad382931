import type {
  FileAccess,
  FileColumnRules,
  FileRule,
  FileTableAccess,
  FileUserAttribute,
} from "../../exchange/schema-file/model.ts";
import { AppError } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import type { TableInfo } from "../schema.ts";
import { readStoredRules, type StoredRule } from "../rules/stored-rules.ts";
import { parseUserAttribute } from "../rules/user-attributes.ts";
import type { SchemaKeys } from "./schema-keys.ts";

/**
 * Describes the access rules of a document. Rules for tables and columns that do not exist have no effect and are left
 * out.
 * @throws AppError `schema.rules_unreadable` for rules that cannot be written as text
 */
export function describeAccess(document: OpenDocument, keys: SchemaKeys): FileAccess {
  const describer = new AccessDescriber(document, keys);
  for (const rule of readStoredRules(document)) describer.add(rule);
  return describer.result();
}

interface ColumnSet extends FileColumnRules {
  readonly rules: FileRule[];
}

class AccessDescriber {
  readonly #document: OpenDocument;
  readonly #keys: SchemaKeys;
  readonly #attributes: FileUserAttribute[] = [];
  readonly #default: FileRule[] = [];
  readonly #special = new Map<string, FileRule[]>();
  readonly #tables = new Map<number, { whole: FileRule[]; columns: Map<string, ColumnSet> }>();

  constructor(document: OpenDocument, keys: SchemaKeys) {
    this.#document = document;
    this.#keys = keys;
  }

  add(stored: StoredRule): void {
    const { resource, userAttributes } = stored;
    if (!resource || userAttributes === null) throw unreadable(stored);
    if (userAttributes !== "") return this.#addAttribute(stored, userAttributes);
    const rule = fileRule(stored);
    if (resource.tableId === "*") {
      this.#default.push(rule);
    } else if (resource.tableId === "*SPECIAL") {
      this.#special.set(resource.colIds, [...(this.#special.get(resource.colIds) ?? []), rule]);
    } else {
      const table = this.#document.schema.tableById.get(resource.tableId);
      if (table) this.#addToTable(table, resource.colIds, rule);
    }
  }

  #addAttribute(stored: StoredRule, text: string): void {
    const attribute = parseUserAttribute(text);
    if (!attribute) throw unreadable(stored);
    const { name, tableId, lookupColId, charId } = attribute;
    const table = this.#document.schema.tableById.get(tableId);
    const column = table?.columnById.get(lookupColId);
    if (!table || !column) return;
    const keys = { table: this.#keys.ofTable(table.ref), column: this.#keys.ofColumn(column.ref) };
    this.#attributes.push({ name, ...keys, property: charId });
  }

  #addToTable({ ref, columnById }: TableInfo, colIds: string, rule: FileRule): void {
    const sets = this.#tables.get(ref) ?? { whole: [], columns: new Map<string, ColumnSet>() };
    if (colIds === "*") {
      this.#tables.set(ref, sets);
      sets.whole.push(rule);
      return;
    }
    const columns = colIds.split(",").flatMap((id) => {
      const column = columnById.get(id);
      return column ? [this.#keys.ofColumn(column.ref)] : [];
    });
    if (columns.length === 0) return;
    this.#tables.set(ref, sets);
    const set: ColumnSet = sets.columns.get(colIds) ?? { columns, rules: [] };
    sets.columns.set(colIds, set);
    set.rules.push(rule);
  }

  result(): FileAccess {
    const tables = [...this.#tables].map(([ref, { whole, columns }]): [string, FileTableAccess] => [
      this.#keys.ofTable(ref),
      {
        ...(columns.size > 0 && { columns: [...columns.values()] }),
        ...(whole.length > 0 && { rules: whole }),
      },
    ]);
    const sorted = <T>(entries: [string, T][]) => entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return {
      ...(this.#attributes.length > 0 && { userAttributes: this.#attributes }),
      ...(tables.length > 0 && { tables: Object.fromEntries(sorted(tables)) }),
      ...(this.#default.length > 0 && { default: this.#default }),
      ...(this.#special.size > 0 && { special: Object.fromEntries(sorted([...this.#special])) }),
    };
  }
}

function fileRule(stored: StoredRule): FileRule {
  const { formula, permissions, memo } = stored;
  if (formula === null || permissions === null) throw unreadable(stored);
  return { ...(formula !== "" && { if: formula }), permissions, ...(memo !== "" && { memo }) };
}

const unreadable = ({ id }: StoredRule): AppError =>
  new AppError(
    "schema.rules_unreadable",
    `Access rule ${id} of the document cannot be parsed: repair or remove it first`,
  );
