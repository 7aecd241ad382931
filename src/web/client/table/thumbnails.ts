import type { RecordsPage } from "../../table-data.ts";
import { api } from "../base/api.ts";
import { fill, h, icon } from "../base/dom.ts";

/** What is known of an attached file. */
export interface AttachedFile {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly isImage: boolean;
}

interface Standing {
  readonly rowId: number;
  readonly colId: string;
}

/** What browsers show of themselves; others, such as drawings with scripts inside, are never shown as images. */
const IMAGE = /\.(png|jpe?g|gif|webp|avif|bmp)$/i;

/** Small pictures of attached files. What files are called is asked for many at a time. */
export class Thumbnails {
  readonly #docId: string;
  readonly #tableId: string;
  readonly #known = new Map<number, AttachedFile | null>();
  readonly #waiting = new Map<number, (() => void)[]>();
  #isAsking = false;

  constructor(docId: string, tableId: string) {
    this.#docId = docId;
    this.#tableId = tableId;
  }

  /** A small picture, or a sign with the file's name, which comes when it is known. */
  make(id: number, standing: Standing): HTMLElement {
    const element = h("span", { class: "file" }, icon("document"));
    const file = this.#known.get(id);
    if (file) this.#show(element, file, standing);
    else if (file === undefined) void this.file(id).then((found) => found && this.#show(element, found, standing));
    return element;
  }

  /** What a file is called and how large it is; null for one that is not there or is kept from the person. */
  file(id: number): Promise<AttachedFile | null> {
    const known = this.#known.get(id);
    if (known !== undefined) return Promise.resolve(known);
    const { promise, resolve } = Promise.withResolvers<AttachedFile | null>();
    const tell = () => resolve(this.#known.get(id) ?? null);
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), tell]);
    if (!this.#isAsking) {
      this.#isAsking = true;
      setTimeout(() => void this.#ask(), 30);
    }
    return promise;
  }

  /** Where a file is, for whoever sees it in that cell. */
  address(id: number, { rowId, colId }: Standing, { inline }: { inline: boolean }): string {
    const cell = new URLSearchParams({ tableId: this.#tableId, colId, rowId: String(rowId) });
    if (inline) cell.set("inline", "1");
    return `/api/docs/${this.#docId}/attachments/${id}/download?${cell}`;
  }

  #show(element: HTMLElement, file: AttachedFile, standing: Standing): void {
    element.title = file.name;
    const src = this.address(file.id, standing, { inline: true });
    if (file.isImage) fill(element, h("img", { src, alt: file.name, loading: "lazy", decoding: "async" }));
    else fill(element, icon("document"), h("span", {}, file.name));
  }

  async #ask(): Promise<void> {
    this.#isAsking = false;
    const ids = [...this.#waiting.keys()];
    const waiting = ids.flatMap((id) => this.#waiting.get(id) ?? []);
    this.#waiting.clear();
    for (const id of ids) this.#known.set(id, null);
    try {
      const query = { filter: JSON.stringify({ id: ids }), hidden: true };
      const path = `/api/docs/${this.#docId}/tables/_grist_Attachments/records`;
      const { records } = await api<RecordsPage>(path, { query });
      for (const { id, fields } of records) {
        const name = typeof fields["fileName"] === "string" ? fields["fileName"] : `File ${id}`;
        this.#known.set(id, { id, name, sizeBytes: Number(fields["fileSize"] ?? 0), isImage: IMAGE.test(name) });
      }
    } catch {
      // Whoever may not read about files sees that there is one.
    }
    for (const tell of waiting) tell();
  }
}
