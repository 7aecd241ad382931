import { fill, h } from "../base/dom.ts";
import { type ColumnKind, type Conversion, conversionFor } from "./column-actions.ts";
import { type TypeFields, typeFields } from "./column-options.ts";
import type { Column } from "./columns.ts";
import { TYPES } from "./heads.ts";
import type { Sheet } from "./sheet.ts";
import { TypePreview } from "./type-preview.ts";

export interface TypeField {
  readonly elements: readonly HTMLElement[];
  readonly preview: TypePreview;
  /** The type that is chosen. */
  base(): string;
  /** What the type takes besides its name. */
  fields(): TypeFields;
  /** The conversion that is chosen; null where the column keeps its type. */
  conversion(): Conversion | null;
  /** Chooses the column's own type again. */
  reset(): void;
  /** Something that bears on the type was chosen elsewhere. */
  refresh(): void;
}

export interface TypeFieldOptions {
  readonly kind: () => ColumnKind;
  /** Called when another type is chosen, or its preview arrives. */
  readonly changed: () => void;
}

/** Chooses a column's type and its options, with a preview of what that does to the cells. */
export function typeField(sheet: Sheet, column: Column, { kind, changed }: TypeFieldOptions): TypeField {
  const own = column.type.base;
  const bases = TYPES.some(({ base }) => base === own) ? TYPES : [...TYPES, { base: own, name: own }];
  const select = h(
    "select",
    {},
    ...bases.map(({ base, name }) => h("option", { value: base, selected: base === own }, name)),
  );
  const details = h("div", {});
  let fields: TypeFields = typeFields(own, sheet, column);
  // Formats that the person chose are not replaced by others that would read more.
  let isChosen = false;
  const preview = new TypePreview(sheet, column, {
    changed,
    suggest: (formats) => {
      if (isChosen || !fields.suggest?.(formats)) return false;
      isChosen = true;
      refresh();
      return true;
    },
  });
  const conversion = () => conversionFor(column, fields, { base: select.value, kind: kind() });
  const refresh = () => {
    const { ready } = fields;
    const show = () => preview.show(conversion());
    if (ready) void ready.then(show);
    else show();
    changed();
  };
  const chooseType = () => {
    fields = typeFields(select.value, sheet, column);
    fill(details, ...fields.elements);
    isChosen = false;
    refresh();
  };
  fill(details, ...fields.elements);
  select.addEventListener("change", chooseType);
  details.addEventListener("input", () => {
    isChosen = true;
    refresh();
  });
  return {
    elements: [h("label", {}, "Type", select), details],
    preview,
    base: () => select.value,
    fields: () => fields,
    conversion,
    reset: () => {
      select.value = own;
      chooseType();
      select.focus();
    },
    refresh,
  };
}
