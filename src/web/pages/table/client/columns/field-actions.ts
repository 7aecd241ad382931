/** Changes of a column that has formats and styles of its own in a section. */
import type { ShownField } from "../view/shown-field.ts";

type UserAction = readonly [name: string, ...args: unknown[]];

const FIELDS = "_grist_Views_section_field";

/** Returns actions on a column as actions on its field, as far as they are about formats and styles. */
export function actionsForField(
  actions: readonly UserAction[],
  field: ShownField | null,
  { id, ref }: { readonly id: string; readonly ref: number },
): readonly UserAction[] {
  if (!field?.hasOwnSettings) return actions;
  // Options of another type do not fit: the field takes those of its column.
  const changesType = actions.some(([name, , , input]) => name === "ConvertFromColumn" || hasKey(input, "type"));
  if (changesType) return [...actions, ["UpdateRecord", FIELDS, field.ref, { widgetOptions: "" }]];
  return actions.flatMap((action): UserAction[] => {
    const [name, table, target, owner] = action;
    if (name === "ModifyColumn" && target === id) return splitInput(action, field);
    if (name === "SetDisplayFormula" && owner === ref) return [[name, table, field.ref, null, action[4]]];
    if (name === "AddEmptyRule" && owner === ref) return [[name, table, field.ref, 0]];
    return [action];
  });
}

const hasKey = (input: unknown, key: string): boolean => typeof input === "object" && input !== null && key in input;

function splitInput([name, table, id, input]: UserAction, field: ShownField): UserAction[] {
  const { widgetOptions, visibleCol, ...others } = input as Readonly<Record<string, unknown>>;
  const own = {
    ...(widgetOptions !== undefined && { widgetOptions }),
    ...(visibleCol !== undefined && { visibleCol }),
  };
  return [
    ...(Object.keys(others).length > 0 ? [[name, table, id, others] as const] : []),
    ...(Object.keys(own).length > 0 ? [["UpdateRecord", FIELDS, field.ref, own] as const] : []),
  ];
}
