import { PyError } from "../runtime/errors.ts";
import { type HashKey, PyObject, type PyValue } from "../runtime/object.ts";
import { typeName } from "../runtime/values.ts";
import type { TrackedTable } from "./tracked-table.ts";

/** A row of a table; row 0 is the empty record, whose cells are empty. */
export class PyRecord extends PyObject {
  readonly table: TrackedTable;
  readonly id: number;

  constructor(table: TrackedTable, id: number) {
    super();
    this.table = table;
    this.id = id;
  }

  readonly typeName = "Record";

  override get recordKind(): "record" {
    return "record";
  }

  repr(): string {
    return `${this.table.tableId}[${this.id}]`;
  }

  override truth(): boolean {
    return this.id !== 0;
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyRecord && other.id === this.id && other.table.tableId === this.table.tableId;
  }

  /** Compares by table name, then by row id. */
  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PyRecord)) return undefined;
    if (other.table.tableId === this.table.tableId) return this.id - other.id;
    return this.table.tableId < other.table.tableId ? -1 : 1;
  }

  /** Records are ordered only among themselves: other values lack the row id that is compared. */
  override ordered(_sign: string, other: PyValue): undefined {
    if (other instanceof PyRecord) return;
    if (other instanceof PyObject) other.attribute("_row_id");
    throw new PyError("AttributeError", `'${typeName(other)}' object has no attribute '_row_id'`);
  }

  override hashKey(): HashKey {
    return `\0r${this.table.tableId}:${this.id}`;
  }

  override toInt(): bigint {
    return BigInt(this.id);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "id") return BigInt(this.id);
    if (name.startsWith("__")) return undefined;
    return this.table.read(this.id, name);
  }
}
