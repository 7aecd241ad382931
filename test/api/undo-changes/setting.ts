import type { Reply, TestApp, UserName } from "../../helpers/app.ts";
import { limitedKey } from "../../helpers/limited-keys.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";

/** A step of a case: who makes it, then a user action. */
export type Step = readonly [by: string, ...action: unknown[]];

/** A document with two tables, and keys of its users by name: `own` and `second` are of the same user. */
export class UndoSetting {
  readonly server: TestApp;
  readonly doc: string;
  readonly #keys: Record<string, string>;

  constructor(server: TestApp, doc: string) {
    this.server = server;
    this.doc = doc;
    this.#keys = { ...server.keys, own: limitedKey(server, "owner", {}), second: limitedKey(server, "owner", {}) };
  }

  addKey(name: string, user: UserName, limits: Parameters<typeof limitedKey>[2]): void {
    this.#keys[name] = limitedKey(this.server, user, limits);
  }

  call(by: string, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    const key = this.#keys[by];
    return this.server.call("anon", method, `${this.doc}${path}`, body, {
      headers: { ...(key && { Authorization: `Bearer ${key}` }), ...headers },
    });
  }

  async make(steps: readonly Step[]): Promise<void> {
    for (const [by, ...action] of steps) {
      const { status, body } = await this.call(by, "POST", "/apply", [action]);
      if (status !== 200) throw new Error(`${by} ${JSON.stringify(action)}: ${status} ${JSON.stringify(body)}`);
    }
  }

  async newest(): Promise<number> {
    const { states } = await this.server.must<{ states: { n: number }[] }>("GET", `${this.doc}/states`);
    return states[0]?.n ?? 0;
  }

  undo(by: string, body: object, headers?: Record<string, string>): Promise<Reply> {
    return this.call(by, "POST", "/undo-changes", body, headers);
  }

  /** The records of a table by id. */
  async rows(table: string): Promise<Record<number, Record<string, unknown>>> {
    const { records } = await this.server.must<{ records: { id: number; fields: Record<string, unknown> }[] }>(
      "GET",
      `${this.doc}/tables/${table}/records`,
    );
    return Object.fromEntries(records.map(({ id, fields }) => [id, fields]));
  }
}

/**
 * People: 1 Ada, 2 Bob, 3 Cid; Orders: 1 of Ada, 2 of Bob. `Changed` is filled by a trigger formula, `Orders` of a person is the
 * other end of `Buyer`.
 */
export async function undoSetting(server: TestApp): Promise<UndoSetting> {
  const { doc } = await createSharedFixture(server);
  const people = [
    { id: "Name", fields: { type: "Text" } },
    { id: "Age", fields: { type: "Int" } },
    { id: "Friend", fields: { type: "Ref:People" } },
    { id: "Team", fields: { type: "RefList:People" } },
    { id: "Length", fields: { isFormula: true, formula: "len($Name)" } },
  ];
  const orders = [
    { id: "Item", fields: { type: "Text" } },
    { id: "Buyer", fields: { type: "Ref:People" } },
  ];
  await server.must("POST", `${doc}/tables`, {
    tables: [
      { id: "People", columns: people },
      { id: "Orders", columns: orders },
    ],
  });
  await server.must("POST", `${doc}/apply`, [
    ["AddColumn", "People", "Changed", { type: "Text", isFormula: false, formula: "$Name.upper()", recalcWhen: 2 }],
    ["BulkAddRecord", "People", [1, 2, 3], { Name: ["Ada", "Bob", "Cid"], Age: [30, 40, 50] }],
    ["BulkAddRecord", "Orders", [1, 2], { Item: ["Bell", "Lock"], Buyer: [1, 2] }],
  ]);
  return new UndoSetting(server, doc);
}
