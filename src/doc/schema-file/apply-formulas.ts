import { isDeepStrictEqual } from "node:util";
import { columnType } from "../../values/column-type.ts";
import type { AddedColumn } from "../actions/schema/columns.ts";
import type { FileColumn } from "../../exchange/schema-file/model.ts";
import { type ColumnPair, forEachColumn, note } from "./apply-columns.ts";
import { type Application, shown, type Steps } from "./application.ts";
import { optionsText } from "./column-options.ts";
import { ColumnDescriber, isObject, listedRefs } from "./describe-column.ts";
import { FormerNames, recordGlobals } from "./former-names.ts";

/** Gives the columns the formulas, formats and options of the file. All tables and columns have their ids and types. */
export function* changeFormulas(application: Application): Steps {
  const names = new FormerNames(application);
  yield* forEachColumn(application, (_, pair) => changeFormula(application, pair, names));
  yield* forEachColumn(application, (_, pair) => changeTrigger(application, pair, names));
  yield* forEachColumn(application, (_, pair) => changeOptions(application, pair, names));
}

function* changeFormula(application: Application, pair: ColumnPair, names: FormerNames): Steps {
  const { wanted, info, table } = pair;
  const { unknownNames } = wanted.file;
  if (wanted.file.formula === undefined) return;
  const formula = names.inFormula(wanted.file.formula, { table, unknownNames });
  if (formula === info.formula) return;
  note(application, pair, { property: "formula", message: `Change the formula to ${shown(formula)}` });
  yield ["ModifyColumn", table, info.id, { formula }];
}

const WHEN = { newRecords: 0, never: 1, everyChange: 2 } as const;

function* changeTrigger(application: Application, pair: ColumnPair, names: FormerNames): Steps {
  const { wanted, info, table } = pair;
  const { trigger, formula: computed, unknownNames } = wanted.file;
  if (computed !== undefined) return;
  const formula = trigger ? names.inFormula(trigger.formula, { table, unknownNames }) : "";
  const known = listedRefs(application.schema, info.recalcDeps);
  const recalcWhen = trigger ? WHEN[trigger.when ?? "newRecords"] : info.recalcWhen;
  const columns = trigger
    ? (trigger.columns ?? []).map((key) => application.columnByKey(wanted.table, key)?.ref ?? 0)
    : known;
  const isSameSet = new Set(columns).symmetricDifference(new Set(known)).size === 0;
  if (formula === info.formula && recalcWhen === info.recalcWhen && isSameSet) return;
  note(application, pair, {
    property: "trigger",
    message: trigger ? `Change the trigger formula to ${shown(formula)}` : "Remove the trigger formula",
  });
  const recalcDeps = columns.length > 0 ? ["L", ...columns] : null;
  yield ["ModifyColumn", table, info.id, { formula, recalcWhen, recalcDeps }];
}

/** Conditional styles have their formulas in hidden columns, and their styles in the options. */
function* changeOptions(application: Application, pair: ColumnPair, names: FormerNames): Steps {
  const { wanted, info, table } = pair;
  const { unknownNames, conditionalStyles = [], options } = wanted.file;
  const styles = conditionalStyles.map((style) => ({
    ...style,
    formula: names.inFormula(style.formula, { table, unknownNames }),
  }));
  const file = {
    ...wanted.file,
    ...(styles.length > 0 && { conditionalStyles: styles }),
    ...(options && { options: withPresentNames(options, { rec: table, choice: columnType(info.type).target }, names) }),
  };
  const described = new ColumnDescriber(application.schema, application.keys, null).describe(info);
  const parts = ["choices", "choiceStyles", "conditionalStyles", "options"] as const;
  const differing = parts.filter((part) => !isDeepStrictEqual(described[part], nonEmpty(file, part)));
  if (differing.length === 0) return;
  for (const part of differing) note(application, pair, { property: part, message: `Change ${LABELS[part]}` });
  const existing = (info.rules ?? []).filter((ref) => application.schema.columnByRef.has(ref));
  if (differing.includes("conditionalStyles")) {
    const kept = existing.slice(0, styles.length);
    if (kept.length !== (info.rules ?? []).length)
      yield ["ModifyColumn", table, info.id, { rules: kept.length > 0 ? ["L", ...kept] : null }];
    for (const [at, { formula }] of styles.entries()) {
      let ref = kept[at];
      if (ref === undefined) {
        const added: AddedColumn = yield* application.run(["AddEmptyRule", table, 0, info.ref]);
        ref = added.colRef;
      }
      const helper = application.schema.columnByRef.get(ref);
      if (helper && helper.formula !== formula) yield ["ModifyColumn", table, helper.id, { formula }];
    }
  }
  yield ["ModifyColumn", table, info.id, { widgetOptions: optionsText(file) }];
}

function withPresentNames(
  options: Readonly<Record<string, unknown>>,
  tables: Readonly<Record<string, string | undefined>>,
  names: FormerNames,
): Readonly<Record<string, unknown>> {
  const { dropdownCondition: condition } = options;
  if (!isObject(condition) || typeof condition["text"] !== "string") return options;
  return {
    ...options,
    dropdownCondition: { ...condition, text: names.inCondition(condition["text"], recordGlobals(tables)) },
  };
}

const LABELS = {
  choices: "the choices",
  choiceStyles: "the styles of choices",
  conditionalStyles: "the conditional styles",
  options: "the options",
} as const;

/** Empty parts are equal to missing ones. */
function nonEmpty(file: FileColumn, part: keyof typeof LABELS): unknown {
  const value = file[part];
  const canonical = part === "conditionalStyles" ? file.conditionalStyles?.map(withoutEmptyStyle) : value;
  return canonical === undefined || Object.keys(canonical).length === 0 ? undefined : canonical;
}

const withoutEmptyStyle = ({
  formula,
  style = {},
}: {
  formula: string;
  style?: Readonly<Record<string, unknown>> | undefined;
}) => (Object.keys(style).length > 0 ? { formula, style } : { formula });
