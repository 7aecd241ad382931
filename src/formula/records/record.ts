import { type HashKey, PyObject, type PyValue } from "../object.ts";
import type { RecordPath } from "./path.ts";

/** A row of a table; row 0 is the empty record, whose cells are all empty. */
export class PyRecord extends PyObject {
  readonly path: RecordPath;
  readonly id: number;

  constructor(path: RecordPath, id: number) {
    super();
    this.path = path;
    this.id = id;
  }

  override get typeName(): string {
    return this.path.table;
  }

  override get recordKind(): "record" {
    return "record";
  }

  repr(): string {
    return `${this.path.table}[${this.id}]`;
  }

  override truth(): boolean {
    return this.id !== 0;
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyRecord && other.id === this.id && other.path.table === this.path.table;
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PyRecord) || other.path.table !== this.path.table) return undefined;
    return this.id - other.id;
  }

  override hashKey(): HashKey {
    return `\0r${this.path.table}:${this.id}`;
  }

  override toInt(): bigint {
    return BigInt(this.id);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "id") return BigInt(this.id);
    if (name.startsWith("__")) return undefined;
    return this.path.read(this.id, name);
  }
}
