import { type Session, write } from "./client.ts";
import { DocumentClient } from "./document-client.ts";
import type { State } from "./ledger.ts";

const MAX_FILES = 12;
/**
 * Larger attachments are stored outside of the document's file: a setting of the server, so that both kinds are tested.
 */
export const INSIDE_BYTES = 16_384;

interface Listed {
  readonly records: readonly { readonly id: number; readonly fields: { readonly fileName: string } }[];
}

/** Uploads attachments of both kinds, adds them to cells, removes them again and deletes the unused ones. */
export class FilesClient extends DocumentClient {
  readonly #ids = new Map<string, number>();
  /** The row that contains a file. */
  readonly #rows = new Map<string, number>();
  #made = 0;

  override async step(session: Session): Promise<void> {
    const { random } = session;
    const names = [...this.ledger.state.keys()];
    const files = names.filter((name) => name.startsWith("file/")).map((name) => name.slice(5));
    const used = files.filter((file) => this.ledger.state.has(`cell/${file}`));
    const unused = files.filter((file) => !used.includes(file));
    if (files.length > MAX_FILES) return used.length > 5 ? this.#clear(session, used) : this.#removeUnused(session);
    if (unused.length > 0 && random.chance(0.6)) return this.#put(session, unused);
    return random.chance(0.15) ? this.#removeUnused(session) : this.#upload(session);
  }

  override async read({ api }: Session): Promise<State> {
    const { records } = await api.send<Listed>("GET", `${this.path}/attachments`);
    const state = new Map<string, string>();
    this.#ids.clear();
    for (const { id, fields } of records) {
      const content = await api.bytes(`${this.path}/attachments/${id}/download`);
      this.#ids.set(fields.fileName, id);
      state.set(`file/${fields.fileName}`, digest(content));
    }
    type Cells = { records: { id: number; fields: { File: ["L", number] } }[] };
    const cells = await api.send<Cells>("GET", `${this.path}/tables/Files/records`);
    this.#rows.clear();
    for (const { id, fields } of cells.records) {
      const file = records.find((record) => record.id === fields.File[1])?.fields.fileName;
      if (file === undefined) throw new Error(`${this.name}: a cell refers to an attachment that does not exist`);
      this.#rows.set(file, id);
      state.set(`cell/${file}`, "");
    }
    return state;
  }

  async #upload(session: Session): Promise<void> {
    const { api, random } = session;
    const form = new FormData();
    const after = new Map(this.ledger.state);
    const names = Array.from({ length: 1 + random.below(3) }, () => `${this.name}-${++this.#made}.bin`);
    for (const name of names) {
      const size = 1 + random.below(random.chance(0.5) ? INSIDE_BYTES / 2 : 4 * INSIDE_BYTES);
      const content = Uint8Array.from({ length: size }, () => random.below(256));
      form.append("upload", new File([content], name));
      after.set(`file/${name}`, digest(content));
    }
    const send = () => api.send<number[]>("POST", `${this.path}/attachments`, form);
    const answer = await write(this, session, { after, send });
    for (const [index, id] of answer?.entries() ?? []) this.#ids.set(names[index] ?? "", id);
  }

  async #put(session: Session, files: readonly string[]): Promise<void> {
    const after = new Map(this.ledger.state);
    for (const file of files) after.set(`cell/${file}`, "");
    const records = files.map((file) => ({ fields: { File: ["L", this.#ids.get(file)] } }));
    const path = `${this.path}/tables/Files/records`;
    const send = () => session.api.send<{ records: { id: number }[] }>("POST", path, { records });
    const answer = await write(this, session, { after, send });
    for (const [index, { id }] of answer?.records.entries() ?? []) this.#rows.set(files[index] ?? "", id);
  }

  async #clear(session: Session, files: readonly string[]): Promise<void> {
    const after = new Map(this.ledger.state);
    for (const file of files) after.delete(`cell/${file}`);
    const ids = files.map((file) => this.#rows.get(file));
    const send = () => session.api.send("POST", `${this.path}/tables/Files/records/delete`, ids);
    await write(this, session, { after, send });
  }

  async #removeUnused(session: Session): Promise<void> {
    const after = new Map([...this.ledger.state].filter(([name]) => this.#isInline(name)));
    const send = () => session.api.send("POST", `${this.path}/attachments/removeUnused`);
    await write(this, session, { after, send });
  }

  #isInline(name: string): boolean {
    return !name.startsWith("file/") || this.ledger.state.has(`cell/${name.slice(5)}`);
  }
}

const digest = (content: Uint8Array): string => `${content.length} ${Bun.hash(content).toString(36)}`;
