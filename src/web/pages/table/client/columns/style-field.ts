/** A field for a style: a sample, which opens the colours, and buttons for bold, italic, underline and strikethrough. */
import { h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { type CellStyle, FONT_KEYS } from "../cells/cell-styles.ts";
import { drawStyle } from "../cells/draw-style.ts";
import { openColours } from "./choice-fields.ts";

const FONTS = {
  fontBold: { icon: "bold", label: "table.style.bold" },
  fontItalic: { icon: "italic", label: "table.style.italic" },
  fontUnderline: { icon: "underline", label: "table.style.underline" },
  fontStrikethrough: { icon: "strikethrough", label: "table.style.strikethrough" },
} as const;

export interface StyleField {
  readonly element: HTMLElement;
  value(): CellStyle;
}

/** @param label names the style, such as "Cells" */
export function styleField(label: string, stored: CellStyle): StyleField {
  let style = stored;
  const sample = h("button", { type: "button", class: "style-sample", "aria-haspopup": "dialog" });
  sample.append(t("table.style.sample"));
  sample.setAttribute("aria-label", t("table.style.colours", { style: label }));
  sample.title = t("table.style.colours", { style: label });
  const set = (next: CellStyle) => {
    style = next;
    drawStyle(sample, style);
    // As if typed, so that the panel knows of unsaved changes.
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  sample.addEventListener("click", () => {
    const { fillColor: fill, textColor: text, ...fonts } = style;
    const now = { ...(fill !== undefined && { fill }), ...(text !== undefined && { text }) };
    openColours(
      sample,
      now,
      (next) => {
        const { fill: fillColor, text: textColor } = next ?? {};
        set({ ...fonts, ...(fillColor !== undefined && { fillColor }), ...(textColor !== undefined && { textColor }) });
      },
      { hasText: true },
    );
  });
  const buttons = FONT_KEYS.map((key) => {
    const name = t(FONTS[key].label);
    const button = h(
      "button",
      {
        type: "button",
        class: "plain small",
        title: name,
        "aria-label": name,
        "aria-pressed": String(style[key] === true),
      },
      icon(FONTS[key].icon),
    );
    button.addEventListener("click", () => {
      const { [key]: isOn, ...others } = style;
      button.setAttribute("aria-pressed", String(isOn !== true));
      set(isOn === true ? others : { ...others, [key]: true });
    });
    return button;
  });
  const element = h("div", { class: "style-field", role: "group", "aria-label": label }, sample, ...buttons);
  drawStyle(sample, style);
  return { element, value: () => style };
}
