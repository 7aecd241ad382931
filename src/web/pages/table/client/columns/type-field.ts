import { replaceChildren, h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { type ColumnKind, type Conversion, conversionFor } from "./column-actions.ts";
import type { TypeFields } from "./type-fields.ts";
import { typeFields } from "./type-options.ts";
import type { Column } from "./columns.ts";
import { COLUMN_TYPES } from "./column-headers.ts";
import type { Sheet } from "../sheet.ts";
import { TypePreview } from "./type-preview.ts";

export interface TypeField {
  readonly elements: readonly HTMLElement[];
  readonly preview: TypePreview;
  /** The selected type. */
  baseType(): string;
  /** Options of the type. */
  fields(): TypeFields;
  /** The selected conversion; null when the type is unchanged. */
  conversion(): Conversion | null;
  /** Selects the column's own type again. */
  reset(): void;
  /** Called when another field that affects the type has changed. */
  refresh(): void;
}

export interface TypeFieldOptions {
  readonly kind: () => ColumnKind;
  /** Called when another type is selected, or its preview arrives. */
  readonly onChange: () => void;
}

/** A field for a column's type and its options, with a preview of the conversion. */
export function typeField(sheet: Sheet, column: Column, { kind, onChange }: TypeFieldOptions): TypeField {
  const own = column.type.base;
  const bases = COLUMN_TYPES.some(({ base }) => base === own)
    ? COLUMN_TYPES
    : [...COLUMN_TYPES, { base: own, name: own }];
  const select = h(
    "select",
    {},
    ...bases.map(({ base, name }) => h("option", { value: base, selected: base === own }, name)),
  );
  const details = h("div", {});
  let fields: TypeFields = typeFields(own, sheet, column);
  // Formats selected by the user are not replaced by better-matching ones.
  let isTypeChanged = false;
  const preview = new TypePreview(sheet, column, {
    onChange,
    onMissing: (count) => fields.showMissing?.(count),
    applyFormats: (formats) => {
      if (isTypeChanged || !fields.suggest?.(formats)) return false;
      isTypeChanged = true;
      refresh();
      return true;
    },
  });
  const conversion = () => conversionFor(column, fields, { base: select.value, kind: kind() });
  const refresh = () => {
    const ready = fields.ready?.();
    const show = () => preview.show(conversion());
    if (ready) void ready.then(show);
    else show();
    onChange();
  };
  const chooseType = () => {
    fields = typeFields(select.value, sheet, column);
    replaceChildren(details, ...fields.elements);
    isTypeChanged = false;
    refresh();
  };
  replaceChildren(details, ...fields.elements);
  select.addEventListener("change", chooseType);
  details.addEventListener("input", () => {
    isTypeChanged = true;
    refresh();
  });
  return {
    elements: [h("label", {}, t("table.column.type"), select), details],
    preview,
    baseType: () => select.value,
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
