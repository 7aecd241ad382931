/** Live queries under random changes, rules, roles, disconnects and resumes, with several subscribers. */
import { expect, test } from "bun:test";
import type { LiveQueryArgs } from "../../../src/hosts/documents.ts";
import type { WrittenRules } from "../../doc/rules/ruled.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp, type UserName } from "../../helpers/app.ts";
import { DAY, TestClock } from "../../helpers/clock.ts";
import { Random } from "../../helpers/random.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";
import { LiveClient, ManualTimers, settle } from "./live-world.ts";

const STEPS = Number(process.env["QUERN_TEST_LIVE_STEPS"] ?? 300);
const STEPS_PER_DOCUMENT = 100;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

test(`copies equal fresh reads (QUERN_TEST_SEED=${seed}, QUERN_TEST_LIVE_STEPS=${STEPS})`, async () => {
  const clock = new TestClock();
  await using server = await testApp({ clock });
  for (let own = seed, left = STEPS; left > 0; own++, left -= STEPS_PER_DOCUMENT) {
    await new Sequence(server, clock, own).run(Math.min(left, STEPS_PER_DOCUMENT));
  }
}, 3_600_000);

const QUERIES: readonly LiveQueryArgs[] = [
  { table: "Orders", hidden: false },
  { table: "Orders", hidden: false, filter: '{"Amount":{"gte":50}}' },
  {
    table: "Orders",
    hidden: false,
    filter: '{"Customer.City":{"eq":"Oslo"}}',
    fields: "Item,Customer.City,Customer.Name",
  },
  { table: "Orders", hidden: true, expand: "Customer" },
  { table: "Orders", hidden: false, filter: '{"Due":{"within":"next7days"}}', fields: "Item,Due" },
  { table: "Orders", hidden: false, filter: '{"Double":{"lt":120}}', fields: "Item,Double,Today", cellFormat: "iso" },
  { table: "Orders", hidden: false, filter: '{"Customer":{"startsWith":"A"}}', cellFormat: "display" },
  { table: "Orders", hidden: false, filter: '{"Team":["red"],"Note":["x","y"]}' },
  { table: "Customers", hidden: false, filter: '{"or":[{"City":{"ne":"Rome"}},{"Name":{"contains":"a"}}]}' },
  { table: "Orders_summary_Team", hidden: false },
];

const RULES: readonly WrittenRules[] = [
  { "Orders:*": [{ formula: "user.Access == VIEWER and rec.Note == 'x'", permissions: "none" }] },
  { "Orders:Note": [{ formula: "user.Access == VIEWER", permissions: "-R" }] },
  { "Orders:*": [{ formula: "user.Access != OWNER and rec.Team != user.Staff.Team", permissions: "none" }] },
  { "Orders:Amount": [{ formula: "rec.Amount > 80 and user.Access == VIEWER", permissions: "-R" }] },
  { "Customers:*": [{ formula: "user.Access == VIEWER and rec.City == 'Lima'", permissions: "none" }] },
  { "Customers:*": [{ formula: "user.Access == VIEWER", permissions: "none" }] },
  { "Customers:City": [{ formula: "user.Access != OWNER", permissions: "-R" }] },
];
const ATTRIBUTE = { name: "Staff", tableId: "Staff", lookupColId: "Mail", charId: "Email" };

const TEAMS = ["red", "blue", ""];
const CITIES = ["Oslo", "Lima", "Rome"];
const USERS: readonly UserName[] = ["owner", "editor", "viewer", "viewer"];

class Sequence {
  readonly #server: TestApp;
  readonly #clock: TestClock;
  readonly #random: Random;
  readonly #timers = new ManualTimers();
  readonly #done: string[] = [];
  readonly #clients: LiveClient[] = [];
  #doc = "";
  #source = "";

  constructor(server: TestApp, clock: TestClock, own: number) {
    this.#server = server;
    this.#clock = clock;
    this.#random = new Random(own);
    this.#done.push(`QUERN_TEST_SEED=${own} QUERN_TEST_LIVE_STEPS=${STEPS_PER_DOCUMENT}`);
  }

  async run(steps: number): Promise<void> {
    await this.#create();
    for (let step = 0; step < steps; step++) {
      await this.#step();
      for (const client of this.#clients) await client.look();
      this.#check();
    }
    await this.#catchUp();
    for (const client of this.#clients) client.leave();
    await this.#server.must("POST", `${this.#doc}/remove?permanent=1`, {}).catch(() => undefined);
  }

  async #create(): Promise<void> {
    const server = this.#server;
    const { doc, uuid } = await createSharedFixture(server);
    this.#doc = doc;
    const columns = (...list: (string | [string, object])[]) =>
      list.map((one) => (typeof one === "string" ? { id: one } : { id: one[0], fields: one[1] }));
    const formula = (text: string, type = "Any") => ({ type, isFormula: true, formula: text });
    await server.must("POST", `${doc}/tables`, {
      tables: [
        { id: "Customers", columns: columns("Name", "City") },
        { id: "Staff", columns: columns("Mail", "Team") },
        {
          id: "Orders",
          columns: columns(
            "Item",
            ["Amount", { type: "Numeric" }],
            ["Customer", { type: "Ref:Customers" }],
            "Team",
            "Note",
            ["Due", { type: "Date" }],
            ["Double", formula("$Amount * 2", "Numeric")],
            ["Place", formula("$Customer.City")],
            ["Today", formula("TODAY()", "Date")],
          ),
        },
      ],
    });
    const { records: list } = await server.must<{ records: { id: number; fields: { colId: string } }[] }>(
      "GET",
      `${doc}/tables/_grist_Tables_column/records`,
    );
    const ref = (id: string): number => list.findLast(({ fields }) => fields.colId === id)?.id ?? 0;
    const { records: tables } = await server.must<{ records: { id: number; fields: { tableId: string } }[] }>(
      "GET",
      `${doc}/tables/_grist_Tables/records`,
    );
    const orders = tables.find(({ fields }) => fields.tableId === "Orders")?.id;
    const team = list.filter(({ fields }) => fields.colId === "Team").at(-1)?.id;
    await this.#apply(
      ["UpdateRecord", "_grist_Tables_column", ref("Customer"), { visibleCol: ref("Name") }],
      ["SetDisplayFormula", "Orders", null, ref("Customer"), "$Customer.Name"],
      ["CreateViewSection", orders, 0, "record", [team], null],
      ["BulkAddRecord", "Customers", [1, 2, 3], { Name: ["Ada", "Bob", "Ann"], City: CITIES }],
      ["BulkAddRecord", "Staff", [1, 2], { Mail: ["emil@example.com", "vito@example.com"], Team: ["red", "blue"] }],
    );
    for (let i = 0; i < 5; i++) await this.#addOrders();
    const ctx = { ...server.app.ctx, timers: this.#timers, clock: this.#clock };
    for (const user of USERS) {
      for (let i = 0; i < 2; i++) {
        const client = new LiveClient(server, { ctx, doc: uuid, user, query: this.#random.pick(QUERIES) });
        await client.look();
        this.#clients.push(client);
      }
    }
    this.#source = await server.must<string>("POST", `${doc}/copy`, {
      workspaceId: Number(/\d+$/.exec((await createSharedFixture(server)).shelf)?.[0]),
      documentName: "Copy",
    });
  }

  async #step(): Promise<void> {
    const random = this.#random;
    this.#clock.pass(random.below(300));
    if (random.oneIn(3)) return this.#changeConnection(random.pick(this.#clients));
    if (random.oneIn(3)) return this.#fire();
    if (random.oneIn(40)) return this.#catchUp();
    await random.pick([
      ...Array.from({ length: 6 }, () => () => this.#changeRows()),
      ...Array.from({ length: 2 }, () => () => this.#changeRights()),
      () => this.#changeSchema(),
      () => this.#changeHistory(),
      () => this.#passDay(),
    ])();
  }

  /** Lets some of what waits happen, sometimes without waiting for it. */
  async #fire(): Promise<void> {
    const waiting = this.#random.some(this.#timers.waiting, 2);
    for (const work of waiting) void this.#timers.fire(work);
    if (!this.#random.oneIn(3)) await settle();
  }

  async #changeConnection(client: LiveClient): Promise<void> {
    const random = this.#random;
    this.#done.push(`client ${this.#clients.indexOf(client)}`);
    // Whatever the client gets next begins with the present.
    if (!client.isOpen) {
      const resumes = client.lastId !== null && random.oneIn(2);
      if (!resumes) client.forgetStates();
      void client.open({ resumes });
      await settle();
    } else if (random.oneIn(3)) {
      client.leave();
      if (random.oneIn(2)) return;
      void client.open({ resumes: client.lastId !== null });
      if (random.oneIn(2)) await settle();
    } else if (client.isLagging) client.drain();
    else if (random.oneIn(2)) client.isLagging = client.hasBegun;
  }

  async #changeRows(): Promise<void> {
    const random = this.#random;
    const ids = await this.#ids("Orders");
    const id = random.pickAny(ids);
    const customer = random.pickAny(await this.#ids("Customers"));
    await random.pick([
      () => this.#addOrders(),
      () => id !== undefined && this.#apply(["UpdateRecord", "Orders", id, this.#cells()]),
      () => id !== undefined && this.#apply(["UpdateRecord", "Orders", id, this.#cells()]),
      () => this.#apply(["BulkRemoveRecord", "Orders", random.some(ids, 4)]),
      () =>
        this.#try("PATCH", `tables/Orders/records?filter=${encodeURIComponent('{"Amount":{"gt":60}}')}`, {
          fields: { Team: random.pick(TEAMS) },
        }),
      () => this.#try("POST", "tables/Orders/records/delete", { filter: { Team: [random.pick(TEAMS)] } }),
      () =>
        customer !== undefined && this.#apply(["UpdateRecord", "Customers", customer, { City: random.pick(CITIES) }]),
      () =>
        customer !== undefined &&
        this.#apply(["UpdateRecord", "Customers", customer, { Name: random.pick(["Ada", "Zoe"]) }]),
      () => this.#apply(["AddRecord", "Customers", null, { Name: "Abe", City: random.pick(CITIES) }]),
      () => customer !== undefined && this.#apply(["RemoveRecord", "Customers", customer]),
      () =>
        this.#try("PUT", "tables/Orders/records", {
          records: [{ require: { Item: random.pick(["Tea", "Pot"]) }, fields: { Amount: random.below(120) } }],
        }),
    ])();
  }

  async #changeRights(): Promise<void> {
    const random = this.#random;
    const staff = random.pickAny(await this.#ids("Staff"));
    await random.pick([
      () => staff !== undefined && this.#apply(["UpdateRecord", "Staff", staff, { Team: random.pick(TEAMS) }]),
      () => this.#setRules(),
      () => this.#setRules(),
      () => this.#share(),
    ])();
  }

  async #setRules(): Promise<void> {
    const chosen = this.#random.oneIn(3) ? [] : this.#random.some(RULES, 2);
    const rules: WrittenRules = Object.assign({}, ...chosen);
    const userAttributes = JSON.stringify(ATTRIBUTE);
    this.#done.push(`rules ${JSON.stringify(rules)}`);
    const attributes = { "*:*": [{ userAttributes }] };
    const written = chosen.length > 0 ? { ...attributes, ...rules } : {};
    // Rules that name a column that was removed or renamed are refused.
    await setRules(this.#server, this.#doc, written).catch(() => undefined);
  }

  /** Access counts at once: what the caller could read before must not arrive any more. */
  async #share(): Promise<void> {
    const user = this.#random.pick(["vito@example.com", "emil@example.com"]);
    const role = this.#random.pick(["viewers", "editors", "owners", null]);
    this.#done.push(`share ${user} ${role}`);
    await this.#server.must("PATCH", `${this.#doc}/access`, { delta: { users: { [user]: role } } });
    for (const client of this.#clients) {
      const before = client.states.length;
      await client.look();
      if (client.states.length > before) client.forgetStates();
    }
  }

  async #changeSchema(): Promise<void> {
    const random = this.#random;
    await random.pick([
      () => this.#apply(["AddColumn", "Orders", `Extra${random.below(3)}`, { type: "Text", isFormula: false }]),
      () => this.#apply(["RemoveColumn", "Orders", `Extra${random.below(3)}`]),
      () => this.#apply(["RenameColumn", "Orders", "Item", "Thing"]),
      () => this.#apply(["RenameColumn", "Orders", "Thing", "Item"]),
      () => this.#apply(["ModifyColumn", "Orders", "Double", { formula: `$Amount * ${random.below(4)}` }]),
      () => this.#apply(["ModifyColumn", "Orders", "Amount", { type: random.pick(["Numeric", "Int"]) }]),
      () => this.#apply(["RenameTable", "Customers", "Clients"]),
      () => this.#apply(["RenameTable", "Clients", "Customers"]),
    ])();
  }

  async #changeHistory(): Promise<void> {
    const random = this.#random;
    const { states } = await this.#server.must<{ states: { n: number }[] }>("GET", `${this.#doc}/states`);
    const n = random.pickAny(states.slice(0, 6))?.n;
    await random.pick([
      () => this.#try("POST", `states/${states[0]?.n}/undo`),
      () => this.#try("POST", `states/${n}/undo`),
      () => this.#try("POST", `states/${n}/restore`),
      () => this.#try("POST", "states/remove", { keep: 1 + random.below(5) }),
      () => random.oneIn(2) && this.#try("POST", "replace", { sourceDocId: this.#source }),
    ])();
  }

  async #passDay(): Promise<void> {
    this.#done.push("a day passes");
    this.#clock.pass(DAY / 2 + this.#random.below(DAY));
    await this.#apply(["UpdateCurrentTime"]);
  }

  /** Waits until all clients have the present state. */
  async #catchUp(): Promise<void> {
    this.#done.push("catch up");
    for (const client of this.#clients) if (client.isLagging) client.drain();
    for (let round = 0; round < 12; round++) {
      this.#clock.pass(1000);
      for (const work of this.#timers.waiting) void this.#timers.fire(work);
      await settle();
    }
    for (const client of this.#clients) await client.look();
    this.#check();
    for (const [at, client] of this.#clients.entries()) {
      if (client.isOpen && client.copy !== client.states.at(-1))
        this.#fail(at, `is not up to date: ${client.copy}, not ${client.states.at(-1)}`);
    }
  }

  #check(): void {
    for (const [at, { mistakes }] of this.#clients.entries()) if (mistakes[0]) this.#fail(at, mistakes[0]);
  }

  #fail(at: number, what: string): never {
    const client = this.#clients[at];
    const about = `client ${at}, ${client?.user}, ${JSON.stringify(client?.query)}: ${client?.log.join(", ")}`;
    expect.unreachable(`${about}\n${what}\n${this.#done.slice(0, 1).join("\n")}\n${this.#done.slice(-12).join("\n")}`);
  }

  #addOrders(): Promise<unknown> {
    const count = 1 + this.#random.below(3);
    const rows = Array.from({ length: count }, () => this.#cells());
    return this.#try("POST", "tables/Orders/records", { records: rows.map((fields) => ({ fields })) });
  }

  #cells(): Record<string, unknown> {
    const random = this.#random;
    const all = {
      Item: random.pick(["Tea", "Pot", "Cup"]),
      Amount: random.below(120),
      Customer: random.below(5),
      Team: random.pick(TEAMS),
      Note: random.pick(["x", "y", "z"]),
      Due: Math.floor(this.#clock.now() / DAY) * 86_400 + (random.below(20) - 5) * 86_400,
    };
    return Object.fromEntries(random.some(Object.entries(all), 2));
  }

  async #ids(table: string): Promise<number[]> {
    const { status, body } = await this.#server.call("owner", "GET", `${this.#doc}/tables/${table}/records`);
    return status === 200 ? (body.records as { id: number }[]).map(({ id }) => id) : [];
  }

  #apply(...actions: unknown[]): Promise<unknown> {
    return this.#try("POST", "apply", actions);
  }

  /** Sends a request that may be refused: a column may have been removed. */
  async #try(method: string, path: string, body?: unknown): Promise<void> {
    const { status } = await this.#server.call("owner", method, `${this.#doc}/${path}`, body);
    this.#done.push(`${method} ${path} ${JSON.stringify(body)} ${status}`);
    if (status >= 500) throw new Error(`${method} ${path}: ${status}`);
  }
}
