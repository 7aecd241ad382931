/** Draws the boxes of a page, as the server renders them. */

interface Box {
  readonly kind: "row" | "column" | "leaf";
  readonly size: number;
  readonly parts: string[];
  title: string;
}

/** Returns boxes by the titles of their sections, with the sizes that are not the default, and the titles in the tray. */
export async function drawBoxes(html: string): Promise<{ boxes: string; tray: string[] }> {
  const tray: string[] = [];
  const open: Box[] = [];
  let boxes = "";
  const begin = (kind: Box["kind"]) => (element: HTMLRewriterTypes.Element) => {
    const box: Box = { kind, size: Number(element.getAttribute("data-size")), parts: [], title: "" };
    const isFolded = element.hasAttribute("hidden");
    open.push(box);
    element.onEndTag(() => {
      open.pop();
      const parent = open.at(-1);
      const drawn = draw(box, parent === undefined);
      if (isFolded) tray.push(drawn);
      else if (parent) parent.parts.push(drawn);
      else boxes = drawn;
    });
  };
  const readTitle = {
    text: ({ text }: { readonly text: string }) => {
      const box = open.at(-1);
      if (box) box.title += text;
    },
  };
  await new HTMLRewriter()
    .on(".boxes-column", { element: begin("column") })
    .on(".boxes-row", { element: begin("row") })
    .on(".leaf", { element: begin("leaf") })
    .on(".leaf .sheet-name", readTitle)
    .transform(new Response(html))
    .text();
  return { boxes, tray };
}

function draw({ kind, size, parts, title }: Box, isRoot: boolean): string {
  const inner = kind === "leaf" ? title.trim() : parts.join(kind === "row" ? " | " : " / ");
  const drawn = kind === "leaf" || isRoot ? inner : `(${inner})`;
  return size === 100 ? drawn : `${drawn} ${size}`;
}
