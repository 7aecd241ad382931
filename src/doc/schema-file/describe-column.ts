import type { FileColumn, FileConditionalStyle, FileTrigger } from "../../exchange/schema-file/model.ts";
import { columnType } from "../../values/column-type.ts";
import type { ColumnInfo, Schema } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import type { SchemaKeys } from "./schema-keys.ts";
import type { UnknownNames } from "./unknown-names.ts";

/** The options that have a property of their own in the file. */
const OWN_OPTIONS: ReadonlySet<string> = new Set(["choices", "choiceOptions", "rulesOptions"]);

/** Describes columns as they are in schema files. */
export class ColumnDescriber {
  readonly #schema: Schema;
  readonly #keys: SchemaKeys;
  readonly #unknownNames: UnknownNames | undefined;

  /** @param unknownNames null to leave out the unknown names */
  constructor(schema: Schema, keys: SchemaKeys, unknownNames: UnknownNames | null) {
    this.#schema = schema;
    this.#keys = keys;
    this.#unknownNames = unknownNames ?? undefined;
  }

  describe(column: ColumnInfo): FileColumn {
    const { id, label, description, isFormula, formula, untieColIdFromLabel, visibleCol, reverseCol } = column;
    const options = widgetOptions(column.widgetOptions);
    const { choices, choiceOptions } = options;
    const conditionalStyles = this.#conditionalStyles(column, options["rulesOptions"]);
    const ownOptions = otherOptions(options);
    const owner = this.#schema.tableByRef.get(column.tableRef)?.id ?? "";
    const formulas = [formula, ...conditionalStyles.map((style) => style.formula)];
    const unknownNames = this.#unknownNames?.inFormulas(formulas, owner) ?? [];
    return {
      id,
      ...(label !== id && { label }),
      ...(untieColIdFromLabel && { idFollowsLabel: false }),
      ...(description !== "" && { description }),
      type: this.#type(column.type),
      ...(isInTarget(this.#schema, column, visibleCol) && { show: this.#keys.ofColumn(visibleCol) }),
      ...(isInTarget(this.#schema, column, reverseCol) && { reverse: this.#keys.ofColumn(reverseCol) }),
      ...(isFormula && { formula }),
      ...(!isFormula && formula !== "" && { trigger: this.#trigger(column) }),
      ...(unknownNames.length > 0 && { unknownNames }),
      ...(isChoices(choices) && { choices }),
      ...(isObject(choiceOptions) && Object.keys(choiceOptions).length > 0 && { choiceStyles: choiceOptions }),
      ...(conditionalStyles.length > 0 && { conditionalStyles }),
      ...(Object.keys(ownOptions).length > 0 && { options: ownOptions }),
    };
  }

  /** Returns a type with the key of its table. */
  #type(type: string): string {
    const { base, target } = columnType(type);
    const table = target === undefined || base === "Attachments" ? undefined : this.#schema.tableById.get(target);
    return table ? `${base}:${this.#keys.ofTable(table.ref)}` : type;
  }

  #trigger({ formula, recalcWhen, recalcDeps }: ColumnInfo): FileTrigger {
    const columns = listedRefs(this.#schema, recalcDeps).map((ref) => this.#keys.ofColumn(ref));
    return {
      formula,
      ...(recalcWhen === 1 && { when: "never" }),
      ...(recalcWhen === 2 && { when: "everyChange" }),
      ...(columns.length > 0 && { columns: columns.toSorted() }),
    };
  }

  #conditionalStyles({ rules }: ColumnInfo, styles: unknown): FileConditionalStyle[] {
    const list: unknown[] = Array.isArray(styles) ? styles : [];
    return (rules ?? []).flatMap((ref, at) => {
      const helper = this.#schema.columnByRef.get(ref);
      if (!helper) return [];
      const style = list[at];
      return [{ formula: helper.formula, ...(isObject(style) && Object.keys(style).length > 0 && { style }) }];
    });
  }
}

/** Returns the options without a property of their own, in a fixed order. */
function otherOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(options).filter(([name, value]) =>
    OWN_OPTIONS.has(name) ? name === "choices" && value !== undefined && !isChoices(value) : true,
  );
  return Object.fromEntries(
    entries
      .map(([name, value]): [string, unknown] => [name, name === "dropdownCondition" ? conditionText(value) : value])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The syntax tree of a condition is derived from its text. */
const conditionText = (condition: unknown): unknown =>
  isObject(condition) && typeof condition["text"] === "string" ? { text: condition["text"] } : condition;

const isChoices = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((choice) => typeof choice === "string");

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns true for a listed column of the table that a column refers to. */
export function isInTarget(schema: Schema, { type }: ColumnInfo, ref: number): boolean {
  const other = schema.columnByRef.get(ref);
  const { base, target } = columnType(type);
  const table = target === undefined || base === "Attachments" ? undefined : schema.tableById.get(target);
  return other !== undefined && !other.isHidden && table !== undefined && other.tableRef === table.ref;
}

/** Returns the refs of columns that files can name. */
export const listedRefs = (schema: Schema, refs: readonly number[] | null): number[] =>
  (refs ?? []).filter((ref) => schema.columnByRef.get(ref)?.isHidden === false);
