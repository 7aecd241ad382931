/** An attachment in large: images here, files that browsers show themselves in a new tab. */
import { openDialog } from "../../../../base/client/dialog.ts";
import { h, icon, nameElement, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { formatSize } from "../../../../base/sizes.ts";
import type { Thumbnails } from "../cells/thumbnails.ts";

export interface PreviewOptions {
  /** The attachments of the cell. */
  readonly ids: readonly number[];
  /** The index of the first one to show. */
  readonly at: number;
  readonly cell: { readonly rowId: number; readonly colId: string };
  readonly thumbnails: Thumbnails;
}

/** What browsers show in a tab of their own. */
const SHOWN_BY_BROWSERS = /\.(pdf|mp3|m4a|ogg|oga|opus|wav|flac|mp4|m4v|webm|ogv|mov|txt)$/i;

export function openFilePreview({ ids, at: first, cell, thumbnails }: PreviewOptions): void {
  let at = first;
  const title = h("span");
  const place = h("div", { class: "file-preview" });
  const position = h("span", { class: "quiet" });
  const step = (by: number) => {
    at = (at + by + ids.length) % ids.length;
    void show();
  };
  const arrow = (name: "chevron-left" | "chevron-right", label: string, by: number) =>
    h("button", { type: "button", class: "bare", "aria-label": label, onclick: () => step(by) }, icon(name));
  const links = h("span", { class: "bar" });
  const show = async () => {
    const id = ids[at] ?? 0;
    const file = await thumbnails.file(id);
    if (ids[at] !== id) return;
    const name = file?.name ?? t("table.files.noName", { id: String(id) });
    const shown = thumbnails.fileUrl(id, cell, { inline: true });
    const saved = thumbnails.fileUrl(id, cell, { inline: false });
    replaceChildren(title, nameElement(name));
    replaceChildren(position, t("table.files.position", { number: at + 1, count: ids.length }));
    replaceChildren(
      place,
      file?.isImage ? h("img", { src: shown, alt: name }) : icon("file-text"),
      !file?.isImage && h("p", { class: "quiet" }, file ? formatSize(t, file.sizeBytes) : ""),
    );
    replaceChildren(
      links,
      (file?.isImage || SHOWN_BY_BROWSERS.test(name)) &&
        h("a", { href: shown, target: "_blank", rel: "noopener" }, t("table.files.open")),
      h("a", { href: saved, download: "" }, t("table.tools.download")),
    );
  };
  const { element } = openDialog({
    title: [title],
    wide: true,
    content: [
      place,
      h(
        "div",
        { class: "bar preview-bar" },
        ids.length > 1 && arrow("chevron-left", t("table.files.previous"), -1),
        ids.length > 1 && position,
        ids.length > 1 && arrow("chevron-right", t("table.files.next"), 1),
        links,
      ),
    ],
  });
  element.classList.add("preview-dialog");
  element.addEventListener("keydown", (event) => {
    if (ids.length < 2 || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    step(event.key === "ArrowLeft" ? -1 : 1);
  });
  void show();
}
