import type { RecordsPage } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { replaceChildren, h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";

/** Metadata of an attachment. */
export interface AttachedFile {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly isImage: boolean;
}

interface CellReference {
  readonly rowId: number;
  readonly colId: string;
}

/** Image types that are safe to show; others, such as SVG with scripts inside, are never shown as images. */
const IMAGE_NAME = /\.(png|jpe?g|gif|webp|avif|bmp)$/i;

/** Thumbnails of attachments. Metadata is requested in batches. */
export class Thumbnails {
  readonly #docId: string;
  readonly #tableId: string;
  readonly #files = new Map<number, AttachedFile | null>();
  readonly #waiters = new Map<number, (() => void)[]>();
  #isFetching = false;

  constructor(docId: string, tableId: string) {
    this.#docId = docId;
    this.#tableId = tableId;
  }

  /** Creates a thumbnail, or an icon with the file name once it is loaded. */
  createElement(id: number, standing: CellReference): HTMLElement {
    const element = h("span", { class: "file", translate: "no" }, icon("file-text"));
    const file = this.#files.get(id);
    if (file) this.#show(element, file, standing);
    else if (file === undefined) void this.file(id).then((found) => found && this.#show(element, found, standing));
    return element;
  }

  /** Returns name and size of an attachment; null when it is missing or not readable. */
  file(id: number): Promise<AttachedFile | null> {
    const known = this.#files.get(id);
    if (known !== undefined) return Promise.resolve(known);
    const { promise, resolve } = Promise.withResolvers<AttachedFile | null>();
    const notify = () => resolve(this.#files.get(id) ?? null);
    this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), notify]);
    if (!this.#isFetching) {
      this.#isFetching = true;
      setTimeout(() => void this.#fetchFiles(), 30);
    }
    return promise;
  }

  /** Returns the URL of an attachment, for readers of that cell. */
  fileUrl(id: number, { rowId, colId }: CellReference, { inline }: { inline: boolean }): string {
    const cell = new URLSearchParams({ tableId: this.#tableId, colId, rowId: String(rowId) });
    if (inline) cell.set("inline", "1");
    return `/api/docs/${this.#docId}/attachments/${id}/download?${cell}`;
  }

  #show(element: HTMLElement, file: AttachedFile, standing: CellReference): void {
    element.title = file.name;
    const src = this.fileUrl(file.id, standing, { inline: true });
    if (file.isImage) replaceChildren(element, h("img", { src, alt: file.name, loading: "lazy", decoding: "async" }));
    else replaceChildren(element, icon("file-text"), h("span", {}, file.name));
  }

  async #fetchFiles(): Promise<void> {
    this.#isFetching = false;
    const ids = [...this.#waiters.keys()];
    const waiting = ids.flatMap((id) => this.#waiters.get(id) ?? []);
    this.#waiters.clear();
    for (const id of ids) this.#files.set(id, null);
    try {
      const query = { filter: JSON.stringify({ id: ids }), hidden: true };
      const path = `/api/docs/${this.#docId}/tables/_grist_Attachments/records`;
      const { records } = await api<RecordsPage>(path, { query });
      for (const { id, fields } of records) {
        const name =
          typeof fields["fileName"] === "string" ? fields["fileName"] : t("table.files.noName", { id: String(id) });
        this.#files.set(id, { id, name, sizeBytes: Number(fields["fileSize"] ?? 0), isImage: IMAGE_NAME.test(name) });
      }
    } catch {
      // Without permission to read the metadata, only the presence of a file is shown.
    }
    for (const notify of waiting) notify();
  }
}
