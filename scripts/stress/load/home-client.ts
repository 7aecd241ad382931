import { type Client, type Session, write } from "./client.ts";
import { Ledger, type State } from "./ledger.ts";

const MAX_DOCUMENTS = 5;

interface Listed {
  readonly docs: readonly { readonly id: number; readonly name: string }[];
}

interface Account {
  readonly id: number;
  readonly label: string;
}

export interface HomeOptions {
  readonly name: string;
  readonly workspace: number;
  /** The user with whom documents are shared. */
  readonly friend: string;
  /** A document to copy, with this number of rows in its table Items. */
  readonly template: string;
  readonly templateRows: number;
}

/** Creates, copies, renames, shares and deletes documents, and creates service accounts with keys. */
export class HomeClient implements Client {
  readonly ledger = new Ledger();
  readonly name: string;
  readonly #options: HomeOptions;
  readonly #ids = new Map<string, string>();
  readonly #accounts = new Map<string, number>();
  /** Issued keys by the names of their accounts. */
  readonly #keys = new Map<string, string>();
  #created = 0;

  constructor(options: HomeOptions) {
    this.#options = options;
    this.name = options.name;
  }

  /** The UUIDs of the existing documents. */
  get documents(): readonly string[] {
    return [...this.#ids.values()];
  }

  async step(session: Session): Promise<void> {
    const { random } = session;
    const names = [...this.ledger.state.keys()];
    const documents = names.filter((name) => name.startsWith("doc/"));
    const accounts = names.filter((name) => name.startsWith("account/"));
    if (documents.length === 0) return this.#make(session);
    const document = random.pick(documents).slice(4);
    if (documents.length > MAX_DOCUMENTS) return this.#remove(session, document);
    if (accounts.length > MAX_DOCUMENTS) return this.#removeAccount(session, random.pick(accounts).slice(8));
    const kinds = [
      () => this.#make(session),
      () => this.#copy(session),
      () => this.#rename(session, document),
      () => this.#share(session, document),
      () => this.#addAccount(session),
    ];
    return random.pick(kinds)();
  }

  async read({ api }: Session): Promise<State> {
    const state = new Map<string, string>();
    const { docs } = await api.send<Listed>("GET", `/workspaces/${this.#options.workspace}`);
    this.#ids.clear();
    for (const { id, name } of docs) {
      type Access = { users: { email: string; access: string | null }[] };
      const { users } = await api.send<Access>("GET", `/docs/${id}/access`);
      const access = users.find(({ email }) => email === this.#options.friend)?.access ?? "nothing";
      state.set(`doc/${name}`, access);
      this.#ids.set(name, String(id));
      await this.#checkContent({ api }, name);
    }
    this.#accounts.clear();
    for (const { id, label } of await api.send<Account[]>("GET", "/service-accounts")) {
      state.set(`account/${label}`, "");
      this.#accounts.set(label, id);
    }
    return state;
  }

  /**
   * Checks that the keys of the accounts found last are accepted.
   * @throws Error for one that is not
   */
  async checkKeys(isAccepted: (key: string) => Promise<boolean>): Promise<void> {
    for (const label of this.#accounts.keys()) {
      // The response with the key of an account in flight was lost.
      const key = this.#keys.get(label);
      if (key === undefined || (await isAccepted(key))) continue;
      throw new Error(`${this.name}: the key of ${label} is refused`);
    }
  }

  /** Checks that a listed document can be read, and that a copy is complete. */
  async #checkContent({ api }: Pick<Session, "api">, name: string): Promise<void> {
    const path = `/docs/${this.#ids.get(name)}`;
    await api.send("GET", `${path}/tables`);
    if (!name.startsWith("Copy")) return;
    const { id } = await api.send<{ id: number[] }>("GET", `${path}/tables/Items/data`);
    if (id.length !== this.#options.templateRows) throw new Error(`${this.name}: ${name} has ${id.length} rows`);
  }

  async #make(session: Session): Promise<void> {
    const name = `Made ${++this.#created}`;
    const after = new Map(this.ledger.state).set(`doc/${name}`, "nothing");
    const path = `/workspaces/${this.#options.workspace}/docs`;
    const id = await write(this, session, { after, send: () => session.api.send<string>("POST", path, { name }) });
    if (id !== undefined) this.#ids.set(name, id);
  }

  async #copy(session: Session): Promise<void> {
    const documentName = `Copy ${++this.#created}`;
    const after = new Map(this.ledger.state).set(`doc/${documentName}`, "nothing");
    const body = { workspaceId: this.#options.workspace, documentName };
    const path = `/docs/${this.#options.template}/copy`;
    const id = await write(this, session, { after, send: () => session.api.send<string>("POST", path, body) });
    if (id !== undefined) this.#ids.set(documentName, id);
  }

  async #rename(session: Session, document: string): Promise<void> {
    const name = `${document.split(" ")[0] ?? ""} ${++this.#created}`;
    const after = new Map(this.ledger.state).set(`doc/${name}`, this.ledger.state.get(`doc/${document}`) ?? "");
    after.delete(`doc/${document}`);
    const id = this.#idOf(document);
    const done = await write(this, session, { after, send: () => session.api.send("PATCH", `/docs/${id}`, { name }) });
    if (done === undefined) return;
    this.#ids.delete(document);
    this.#ids.set(name, id);
  }

  async #share(session: Session, document: string): Promise<void> {
    const role = session.random.pick(["viewers", "editors", "owners", null]);
    const after = new Map(this.ledger.state).set(`doc/${document}`, role ?? "nothing");
    const body = { delta: { users: { [this.#options.friend]: role } } };
    const path = `/docs/${this.#idOf(document)}/access`;
    await write(this, session, { after, send: () => session.api.send("PATCH", path, body) });
  }

  async #remove(session: Session, document: string): Promise<void> {
    const after = new Map(this.ledger.state);
    after.delete(`doc/${document}`);
    const path = `/docs/${this.#idOf(document)}`;
    const done = await write(this, session, { after, send: () => session.api.send("DELETE", path) });
    if (done !== undefined) this.#ids.delete(document);
  }

  async #addAccount(session: Session): Promise<void> {
    const label = `Account ${++this.#created}`;
    const after = new Map(this.ledger.state).set(`account/${label}`, "");
    type CreatedAccount = { id: number; key: string };
    const send = () =>
      session.api.send<CreatedAccount>("POST", "/service-accounts", { label, expiresAt: "2099-01-01" });
    const account = await write(this, session, { after, send });
    if (account === undefined) return;
    this.#accounts.set(label, account.id);
    this.#keys.set(label, account.key);
  }

  async #removeAccount(session: Session, label: string): Promise<void> {
    const after = new Map(this.ledger.state);
    after.delete(`account/${label}`);
    const path = `/service-accounts/${this.#accounts.get(label) ?? 0}`;
    await write(this, session, { after, send: () => session.api.send("DELETE", path) });
  }

  #idOf(document: string): string {
    const id = this.#ids.get(document);
    if (id === undefined) throw new Error(`unknown id of ${document}`);
    return id;
  }
}
