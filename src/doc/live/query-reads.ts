import type { OpenDocument } from "../document.ts";
import type { Filter, FilterNode } from "../filters/parse-filter.ts";
import type { OutputNode, OutputRequest } from "../read/output/output-request.ts";
import { outputNode } from "../read/output/output-request.ts";
import type { ReadField } from "../read/read-table.ts";
import type { VisibleTable } from "../read/visibility-filter.ts";

/** Which tables and columns a query of records reads, as its caller sees them. */
export interface QueryReads {
  /**
   * Tables that are read through references, by the filter or for the output; contains the table of the query itself only
   * if references lead back to it.
   */
  readonly joined: ReadonlySet<string>;
  /** True if rules hide rows or cells of any of the tables, which may depend on rows of further tables. */
  readonly hasHiddenRows: boolean;
  /** True if the filter compares dates with texts such as `today`. */
  readonly dependsOnDay: boolean;
  /** Equal for queries that read columns of the same names and types. */
  readonly schemaKey: string;
}

interface QueryParts {
  readonly filter: Filter | null;
  readonly output: OutputRequest;
}

/** Returns what a query reads. It may name more tables than the query reads, never fewer. */
export function queryReads(document: OpenDocument, visible: VisibleTable, { filter, output }: QueryParts): QueryReads {
  const reads = new ReadCollector(document, visible, output.hidden);
  if (filter) for (const node of columnNodes(filter.root)) reads.addFilterColumn(node);
  reads.addOutput(visible, outputNode(output));
  return reads.result();
}

type ColumnNode = Extract<FilterNode, { kind: "list" | "comparison" }>;

function columnNodes(node: FilterNode): readonly ColumnNode[] {
  switch (node.kind) {
    case "all":
    case "any":
      return node.parts.flatMap(columnNodes);
    case "not":
      return columnNodes(node.part);
    case "list":
    case "comparison":
      return [node];
    default:
      return node satisfies never;
  }
}

interface FieldOf {
  readonly visible: VisibleTable;
  readonly field: ReadField;
}

class ReadCollector {
  readonly #document: OpenDocument;
  readonly #root: VisibleTable;
  readonly #includesHidden: boolean;
  readonly #joined = new Set<string>();
  readonly #columns = new Set<string>();
  #hasHiddenRows: boolean;
  #dependsOnDay = false;

  constructor(document: OpenDocument, root: VisibleTable, includesHidden: boolean) {
    this.#document = document;
    this.#root = root;
    this.#includesHidden = includesHidden;
    this.#hasHiddenRows = root.rows !== null;
  }

  addFilterColumn(node: ColumnNode): void {
    const isOwn = this.#root.table.fieldById.has(node.column);
    const end = this.#addPath(this.#root, isOwn ? [node.column] : node.column.split("."));
    // A list of values contains ids and stored values.
    if (!end || node.kind === "list") return;
    const compared = [end.field, ...this.#addDisplayed(end)];
    this.#dependsOnDay ||= hasRelativeText(node.operand) && compared.some(isDate);
  }

  addOutput(visible: VisibleTable, { columns, paths, expanded }: OutputNode): void {
    const fields = columns?.flatMap((id) => visible.table.fieldById.get(id) ?? []) ?? this.#fieldsOf(visible);
    for (const field of fields) this.#addColumn(visible, field);
    for (const [name, list] of paths) for (const { rest } of list) this.#addPath(visible, [name, ...rest.split(".")]);
    for (const [name, below] of expanded) {
      const target = this.#addReference(visible, name);
      if (target) this.addOutput(target, outputNode({ fields: null, expand: below }));
    }
  }

  result(): QueryReads {
    return {
      joined: this.#joined,
      hasHiddenRows: this.#hasHiddenRows,
      dependsOnDay: this.#dependsOnDay,
      schemaKey: JSON.stringify([this.#root.table.id, ...[...this.#columns].toSorted()]),
    };
  }

  #fieldsOf({ table }: VisibleTable): readonly ReadField[] {
    return this.#includesHidden ? table.fields : table.fields.filter(({ isHidden }) => !isHidden);
  }

  /** Returns the column at the end of a path, with its table. */
  #addPath(from: VisibleTable, steps: readonly string[]): FieldOf | null {
    let visible = from;
    for (const step of steps.slice(0, -1)) {
      const target = this.#addReference(visible, step);
      if (!target) return null;
      visible = target;
    }
    const field = visible.table.fieldById.get(steps.at(-1) ?? "");
    if (!field) return null;
    this.#addColumn(visible, field);
    return { visible, field };
  }

  #addReference(visible: VisibleTable, name: string): VisibleTable | null {
    const field = visible.table.fieldById.get(name);
    if (!field) return null;
    this.#addColumn(visible, field);
    return this.#addTarget(visible, field);
  }

  #addTarget(visible: VisibleTable, { type }: ReadField): VisibleTable | null {
    if (type.target === undefined) return null;
    const target = visible.readTarget(type.target);
    if (!target) return null;
    this.#joined.add(target.table.id);
    this.#hasHiddenRows ||= target.rows !== null;
    return target;
  }

  /** Returns the column that a reference displays, by whose text operators compare, and the columns that it displays in turn. */
  #addDisplayed({ visible, field }: FieldOf, depth = 0): ReadField[] {
    const target = this.#addTarget(visible, field);
    const { schema } = this.#document;
    const info = schema.tableById.get(visible.table.id)?.columnById.get(field.id);
    const shown = target?.table.fieldById.get(schema.columnByRef.get(info?.visibleCol ?? 0)?.id ?? "");
    if (!target || !shown || depth > MAX_DISPLAYED) return [];
    this.#addColumn(target, shown);
    return [shown, ...this.#addDisplayed({ visible: target, field: shown }, depth + 1)];
  }

  #addColumn({ table }: VisibleTable, { id, type }: ReadField): void {
    this.#columns.add(`${table.id}.${id}:${type.text}`);
  }
}

/** References that display references, one after the other, may form a cycle. */
const MAX_DISPLAYED = 20;

const isDate = ({ type: { base } }: ReadField): boolean => base === "Date" || base === "DateTime";

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;

/** True if an operand contains a text that can mean another date on another day: `today`, or a date without a year. */
const hasRelativeText = (operand: unknown): boolean =>
  Array.isArray(operand) ? operand.some(hasRelativeText) : typeof operand === "string" && !ISO_DATE.test(operand);
