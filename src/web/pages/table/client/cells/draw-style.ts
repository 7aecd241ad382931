/** Draws styles of the document by classes in a style sheet of the script, as the content security policy requires. */
import { type CellStyle, declarationsOf } from "./cell-styles.ts";

/** Inline styles of every cell would cost more than classes, which cells lose when they are recycled. */
let sheet: CSSStyleSheet | undefined;
/** By declarations. */
const classes = new Map<string, string>();

/** Draws a style on an element: of a cell without classes of styles, or of one that was drawn before. */
export function drawStyle({ classList }: HTMLElement, style: CellStyle): void {
  const drawn = [...classList].filter((name) => name === "filled" || name.startsWith("look-"));
  classList.remove(...drawn);
  const declarations = declarationsOf(style);
  if (declarations === "") return;
  let name = classes.get(declarations);
  if (name === undefined) {
    if (!sheet) document.adoptedStyleSheets.push((sheet = new CSSStyleSheet()));
    name = `look-${classes.size}`;
    classes.set(declarations, name);
    // As specific as the styles of the grid, and after them.
    sheet.insertRule(`.${name}.${name}.${name} { ${declarations} }`);
  }
  classList.add(name);
  if (style.fillColor !== undefined) classList.add("filled");
}
