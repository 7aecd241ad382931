import { type Session, write } from "./client.ts";
import { DocumentClient } from "./document-client.ts";
import type { State } from "./ledger.ts";

const MAX_TABLES = 4;

/** Adds, changes and removes tables and columns. */
export class SchemaClient extends DocumentClient {
  #made = 0;

  override async step(session: Session): Promise<void> {
    const { random } = session;
    const tables = [...this.ledger.state.keys()];
    if (tables.length === 0) return this.#addTable(session);
    const table = random.pick(tables);
    const columns = columnsIn(this.ledger.state.get(table));
    const column = nameOf(random.pick(columns));
    const kinds = [
      () => (tables.length < MAX_TABLES ? this.#addTable(session) : this.#removeTable(session, table)),
      () => this.#addColumn(session, table),
      () => this.#renameColumn(session, table, column),
      () => (columns.length > 2 ? this.#removeColumn(session, table, column) : this.#addColumn(session, table)),
      () => this.#renameTable(session, table),
    ];
    return random.pick(kinds)();
  }

  override async read({ api }: Session): Promise<State> {
    const { tables } = await api.send<{ tables: { id: string }[] }>("GET", `${this.path}/tables`);
    const own = tables.map(({ id }) => id).filter((id) => id.startsWith("Own"));
    const state = new Map<string, string>();
    for (const id of own) {
      type Columns = { columns: { id: string; fields: { formula: string } }[] };
      const { columns } = await api.send<Columns>("GET", `${this.path}/tables/${id}/columns`);
      state.set(id, textOf(columns.map(({ id, fields: { formula } }) => (formula ? `${id}=${formula}` : id))));
    }
    return state;
  }

  #addTable(session: Session): Promise<void> {
    const id = `Own${++this.#made}`;
    const columns = [
      { id: "A", fields: { type: "Int" } },
      { id: "B", fields: { type: "Text" } },
    ];
    const after = new Map(this.ledger.state).set(id, textOf(["A", "B"]));
    return this.#write(session, after, ["POST", "/tables", { tables: [{ id, columns }] }]);
  }

  #removeTable(session: Session, table: string): Promise<void> {
    const after = new Map(this.ledger.state);
    after.delete(table);
    return this.#write(session, after, ["POST", "/apply", [["RemoveTable", table]]]);
  }

  #renameTable(session: Session, table: string): Promise<void> {
    const id = `Own${++this.#made}`;
    const after = new Map(this.ledger.state).set(id, this.ledger.state.get(table) ?? "");
    after.delete(table);
    return this.#write(session, after, ["POST", "/apply", [["RenameTable", table, id]]]);
  }

  #addColumn(session: Session, table: string): Promise<void> {
    const id = `C${++this.#made}`;
    const columns = [...columnsIn(this.ledger.state.get(table)), id];
    const after = new Map(this.ledger.state).set(table, textOf(columns));
    const body = { columns: [{ id, fields: { type: "Any" } }] };
    return this.#write(session, after, ["POST", `/tables/${table}/columns`, body]);
  }

  /** Adds a formula column and renames a column that it reads; formulas follow the rename. */
  #renameColumn(session: Session, table: string, column: string): Promise<void> {
    const [to, formula] = [`C${++this.#made}`, `C${++this.#made}`];
    const columns = columnsIn(this.ledger.state.get(table)).map((text) => {
      const [id, read] = text.split("=$");
      return (id === column ? to : id) + (read === undefined ? "" : `=$${read === column ? to : read}`);
    });
    const after = new Map(this.ledger.state).set(table, textOf([...columns, `${formula}=$${to}`]));
    const actions = [
      ["AddColumn", table, formula, { type: "Any", isFormula: true, formula: `$${column}` }],
      ["RenameColumn", table, column, to],
    ];
    return this.#write(session, after, ["POST", "/apply", actions]);
  }

  #removeColumn(session: Session, table: string, column: string): Promise<void> {
    const columns = columnsIn(this.ledger.state.get(table)).filter((text) => nameOf(text) !== column);
    const after = new Map(this.ledger.state).set(table, textOf(columns));
    // Formulas that refer to it stay unchanged, and fail.
    const actions = [["RemoveColumn", table, column]];
    return this.#write(session, after, ["POST", "/apply", actions]);
  }

  async #write(
    session: Session,
    after: State,
    [method, path, body]: readonly [string, string, unknown],
  ): Promise<void> {
    await write(this, session, { after, send: () => session.api.send(method, this.path + path, body) });
  }
}

const columnsIn = (text = ""): string[] => text.split(" ").filter((id) => id !== "");
const nameOf = (text: string): string => text.split("=")[0] ?? "";
const textOf = (columns: readonly string[]): string => columns.toSorted().join(" ");
