/** Draws what the server renders of a page: its boxes, and the list of pages in the sidebar. */

interface Box {
  readonly kind: "row" | "column" | "leaf";
  readonly size: number;
  readonly parts: string[];
  title: string;
}

/**
 * Returns boxes by the titles of their sections, with the sizes that are not the default, and the titles in the tray.
 * @param by `number` names sections by their row ids
 */
export async function drawBoxes(
  html: string,
  by: "title" | "number" = "title",
): Promise<{ boxes: string; tray: string[] }> {
  const tray: string[] = [];
  const open: Box[] = [];
  let boxes = "";
  const begin = (kind: Box["kind"]) => (element: HTMLRewriterTypes.Element) => {
    const box: Box = { kind, size: Number(element.getAttribute("data-size")), parts: [], title: "" };
    const isCollapsed = element.hasAttribute("hidden");
    open.push(box);
    element.onEndTag(() => {
      open.pop();
      const parent = open.at(-1);
      const drawn = draw(box, parent === undefined);
      if (isCollapsed) tray.push(drawn);
      else if (parent) parent.parts.push(drawn);
      else boxes = drawn;
    });
  };
  const readTitle = (chunk: { readonly text: string }): void => {
    const box = open.at(-1);
    if (box) box.title += chunk.text;
  };
  await new HTMLRewriter()
    .on(".boxes-column", { element: begin("column") })
    .on(".boxes-row", { element: begin("row") })
    .on(".leaf", { element: begin("leaf") })
    .on(".leaf", {
      element(element) {
        const box = open.at(-1);
        if (box && by === "number") box.title = element.getAttribute("data-section") ?? "";
      },
    })
    .on(".leaf .sheet-name", { text: by === "title" ? readTitle : () => undefined })
    .transform(new Response(html))
    .text();
  return { boxes, tray };
}

function draw({ kind, size, parts, title }: Box, isRoot: boolean): string {
  const inner = kind === "leaf" ? decoded(title.trim()) : parts.join(kind === "row" ? " | " : " / ");
  const drawn = kind === "leaf" || isRoot ? inner : `(${inner})`;
  return size === 100 ? drawn : `${drawn} ${size}`;
}

/** Returns the pages of the sidebar: each hyphen is a level, folded ones end with an ellipsis, the current one with an asterisk. */
export async function drawTree(html: string): Promise<string[]> {
  const entries: string[] = [];
  let level = 0;
  await new HTMLRewriter()
    .on("#pages li.below", {
      element(element) {
        level++;
        element.onEndTag(() => void level--);
      },
    })
    .on("#pages li[data-page]", {
      element(element) {
        const title = decoded(element.getAttribute("data-title") ?? "");
        entries.push("-".repeat(level) + title + (element.hasAttribute("data-folded") ? "…" : ""));
      },
    })
    .on("#pages a[aria-current]", {
      element() {
        entries.push(`${entries.pop() ?? ""}*`);
      },
    })
    .transform(new Response(html))
    .text();
  return entries;
}

const decoded = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
