import { type Session, write } from "./client.ts";
import { DocumentClient } from "./document-client.ts";
import type { State } from "./ledger.ts";

const MAX_ROWS = 150;

interface Row {
  readonly id: number;
  readonly fields: { readonly Key: string; readonly Qty: number; readonly Note: string; Double: number; Parts: number };
}

/** Writes rows of a document in all available ways; an item and its parts, which belong together, in one request. */
export class RowsClient extends DocumentClient {
  readonly #ids = new Map<string, number>();
  #made = 0;

  override async step(session: Session): Promise<void> {
    const { random } = session;
    const items = [...this.ledger.state.keys()]
      .filter((name) => name.startsWith("Items/"))
      .map((name) => name.slice(6));
    const some = () => items.filter(() => random.chance(3 / items.length)).slice(0, 20);
    if (items.length > MAX_ROWS) return this.#remove(session, items.slice(0, 50));
    const kinds = [
      () => this.#add(session, 1),
      () => this.#add(session, 1),
      () => this.#add(session, 2 + random.below(40)),
      () => this.#change(session, some()),
      () => this.#change(session, some()),
      () => this.#upsert(session, some()),
      () => this.#bundle(session, some()),
      () => this.#bundle(session, some()),
      () => this.#remove(session, some()),
    ];
    return random.pick(kinds)();
  }

  override async read({ api }: Session): Promise<State> {
    const filter = encodeURIComponent(JSON.stringify({ Client: [this.name] }));
    const rowsOf = async <R>(table: string) =>
      (await api.send<{ records: R[] }>("GET", `${this.path}/tables/${table}/records?filter=${filter}`)).records;
    const items = await rowsOf<Row>("Items");
    const parts = await rowsOf<{ fields: { Key: string; Part: number } }>("Pairs");
    const state = new Map(items.map(({ fields: { Key, Qty, Note } }) => [`Items/${Key}`, itemText(Qty, Note)]));
    if (state.size !== items.length) throw new Error(`${this.name}: an item exists twice`);
    for (const { fields } of parts) state.set(partName(fields.Key, fields.Part), "");
    this.#ids.clear();
    for (const { id, fields } of items) {
      this.#ids.set(fields.Key, id);
      const count = parts.filter((part) => part.fields.Key === fields.Key).length;
      if (fields.Double === 2 * fields.Qty && fields.Parts === count) continue;
      throw new Error(
        `${this.name}: formulas of ${fields.Key} are ${fields.Double} and ${fields.Parts} for ${fields.Qty} and ${count} parts`,
      );
    }
    return state;
  }

  async #add(session: Session, count: number): Promise<void> {
    const after = new Map(this.ledger.state);
    const rows = Array.from({ length: count }, () => this.#newItem(session, after));
    const body = { records: rows.map((fields) => ({ fields })) };
    const send = () =>
      session.api.send<{ records: { id: number }[] }>("POST", `${this.path}/tables/Items/records`, body);
    const answer = await write(this, session, { after, send });
    for (const [index, { id }] of answer?.records.entries() ?? []) this.#ids.set(rows[index]?.Key ?? "", id);
  }

  async #change(session: Session, keys: readonly string[]): Promise<void> {
    const after = new Map(this.ledger.state);
    const records = keys.map((Key) => ({ id: this.#idOf(Key), fields: values(session, Key, after) }));
    if (records.length === 0) return;
    const send = () => session.api.send("PATCH", `${this.path}/tables/Items/records`, { records });
    await write(this, session, { after, send });
  }

  /** Some existing items, and a new one. */
  async #upsert(session: Session, keys: readonly string[]): Promise<void> {
    const after = new Map(this.ledger.state);
    const { Key: added } = this.#newItem(session, after);
    const records = [...keys, added].map((Key) => ({
      require: { Client: this.name, Key },
      fields: values(session, Key, after),
    }));
    const send = () => session.api.send("PUT", `${this.path}/tables/Items/records`, { records });
    const answer = await write(this, session, { after, send });
    if (answer !== undefined) await this.#learn(session, added);
  }

  /** Adds new items with their parts and changes others in one request. */
  async #bundle(session: Session, keys: readonly string[]): Promise<void> {
    const after = new Map(this.ledger.state);
    const rows = Array.from({ length: 1 + session.random.below(4) }, () => this.#newItem(session, after));
    const parts = rows.flatMap(({ Key }) => [1, 2, 3].map((Part) => ({ Client: this.name, Key, Part })));
    for (const { Key, Part } of parts) after.set(partName(Key, Part), "");
    const actions: unknown[] = [
      ["BulkAddRecord", "Items", rows.map(() => null), columns(rows)],
      ["BulkAddRecord", "Pairs", parts.map(() => null), columns(parts)],
      ...keys.map((Key) => ["UpdateRecord", "Items", this.#idOf(Key), values(session, Key, after)]),
    ];
    type Applied = { retValues: [number[]] };
    const send = () => session.api.send<Applied>("POST", `${this.path}/apply`, actions);
    const answer = await write(this, session, { after, send });
    for (const [index, id] of answer?.retValues[0].entries() ?? []) this.#ids.set(rows[index]?.Key ?? "", id);
  }

  /** Deletes items; their parts remain, so that rows vary. */
  async #remove(session: Session, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const after = new Map(this.ledger.state);
    for (const key of keys) after.delete(`Items/${key}`);
    const parts = [...after.keys()].filter((name) => name.startsWith("Pairs/"));
    const ids = keys.map((key) => this.#idOf(key));
    const send = () => session.api.send("POST", `${this.path}/tables/Items/records/delete`, ids);
    await write(this, session, { after, send });
    if (parts.length > MAX_ROWS) await this.#removeParts(session);
  }

  async #removeParts(session: Session): Promise<void> {
    const filter = encodeURIComponent(JSON.stringify({ Client: [this.name] }));
    const path = `${this.path}/tables/Pairs/records`;
    const { records } = await session.api.send<{ records: { id: number }[] }>("GET", `${path}?filter=${filter}`);
    const after = new Map([...this.ledger.state].filter(([name]) => !name.startsWith("Pairs/")));
    const ids = records.map(({ id }) => id);
    await write(this, session, { after, send: () => session.api.send("POST", `${path}/delete`, ids) });
  }

  #newItem(session: Session, after: Map<string, string>) {
    const Key = `${this.name}-${++this.#made}`;
    return { Client: this.name, Key, ...values(session, Key, after) };
  }

  async #learn({ api }: Session, key: string): Promise<void> {
    const filter = encodeURIComponent(JSON.stringify({ Key: [key] }));
    const found = await api.send<{ records: Row[] }>("GET", `${this.path}/tables/Items/records?filter=${filter}`);
    for (const { id } of found.records) this.#ids.set(key, id);
  }

  #idOf(key: string): number {
    const id = this.#ids.get(key);
    if (id === undefined) throw new Error(`unknown row of ${key}`);
    return id;
  }
}

/** Returns new values for an item and records them in `after`. */
function values({ random }: Session, key: string, after: Map<string, string>): { Qty: number; Note: string } {
  const Qty = random.below(1_000_000);
  const Note = `note ${Qty} `.repeat(1 + random.below(random.chance(0.05) ? 2000 : 20));
  after.set(`Items/${key}`, itemText(Qty, Note));
  return { Qty, Note };
}

const itemText = (qty: number, note: string): string => `${qty} ${note.length} ${note.slice(0, 20)}`;
const partName = (key: string, part: number): string => `Pairs/${key}/${part}`;

/** Converts rows to the format of actions: a list per column. */
function columns(rows: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown[]> {
  return Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, rows.map((row) => row[name])]));
}
