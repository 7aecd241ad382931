/** Commands that are clients, on a document whose tables have cells of all kinds. */
import type { CommandStreams } from "../../src/commands/command.ts";
import { run } from "../../src/commands/run.ts";
import type { TestApp } from "./app.ts";
import { listeningApp } from "./listening-app.ts";
import { createSharedFixture } from "./request-steps.ts";
import { tempFolder } from "./temp-folder.ts";

/** Texts that would harm a terminal, or a careless writer of CSV. */
export const HOSTILE = {
  escape: "\u001b[31mred\u001b[0m\u009b2J",
  lines: "one\ntwo\r\nthree",
  commas: 'a, "b", c',
  formula: "=1+1",
  reversed: "abc\u202edef",
  wide: "日本語 👩‍👩‍👧",
};

export interface CommandOptions {
  readonly stdin?: string;
  readonly key?: string;
  readonly url?: string;
  /** The width of a terminal at stdout. */
  readonly columns?: number;
  /** After how many writes the reader closes stdout. */
  readonly closesAfter?: number;
}

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** How often the command wrote to stdout. */
  readonly writes: number;
}

export interface ClientFixture extends AsyncDisposable {
  readonly server: TestApp;
  readonly address: string;
  readonly uuid: string;
  /** Path of the document in the API. */
  readonly doc: string;
  quern(args: readonly string[], options?: CommandOptions): Promise<Ran>;
  list(table: string, ...args: string[]): Promise<Ran>;
}

export async function createClientFixture(): Promise<ClientFixture> {
  const listening = await listeningApp();
  const { server, address } = listening;
  const { doc, uuid } = await createSharedFixture(server);
  await server.must("POST", `${doc}/tables`, {
    tables: [
      {
        id: "Orders",
        columns: [
          { id: "Item", fields: { type: "Text" } },
          { id: "Amount", fields: { type: "Int" } },
          { id: "Due", fields: { type: "Date" } },
          { id: "Paid", fields: { type: "Bool" } },
          { id: "Tags", fields: { type: "ChoiceList" } },
        ],
      },
      { id: "Hostile", columns: [{ id: "Text", fields: { type: "Text" } }] },
      { id: "Failing", columns: [{ id: "X", fields: { type: "Any", isFormula: true, formula: "1 / 0" } }] },
      { id: "Empty", columns: [{ id: "A" }, { id: "B" }] },
      {
        id: "Added",
        columns: [
          { id: "Name", fields: { type: "Text" } },
          { id: "Count", fields: { type: "Int" } },
        ],
      },
    ],
  });
  await server.must("POST", `${doc}/tables/Orders/records`, {
    records: [
      { fields: { Item: "Bell", Amount: 12, Due: "2026-05-01", Paid: true, Tags: ["L", "new", "red"] } },
      { fields: { Item: "Chain", Amount: 7, Due: "2026-06-01", Paid: false } },
      { fields: { Item: "Saddle", Amount: 130, Paid: false } },
    ],
  });
  await server.must("POST", `${doc}/tables/Hostile/records`, {
    records: Object.values(HOSTILE).map((Text) => ({ fields: { Text } })),
  });
  await server.must("POST", `${doc}/tables/Failing/records`, { records: [{ fields: {} }] });
  const quern = (args: readonly string[], options: CommandOptions = {}) =>
    runClient(args, { url: address, key: server.keys.owner, ...options });
  return {
    server,
    address,
    uuid,
    doc,
    quern,
    list: (table, ...args) => quern(["records", "list", uuid, table, ...args]),
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]();
    },
  };
}

async function runClient(
  args: readonly string[],
  { stdin = "", key = "", url = "", columns, closesAfter }: CommandOptions,
) {
  let out = "";
  const err: string[] = [];
  let writes = 0;
  const streams: CommandStreams = {
    async *input() {
      // In small parts: characters and lines are split between them.
      const bytes = new TextEncoder().encode(stdin);
      for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
    },
    isInputTerminal: false,
    columns: columns ?? null,
    async write(content) {
      if (++writes > (closesAfter ?? Infinity)) return false;
      out += String(content);
      return true;
    },
    askSecret: () => Promise.resolve(null),
  };
  const status = await run({
    args,
    env: { XDG_CONFIG_HOME: tempFolder(), QUERN_URL: url, QUERN_API_KEY: key },
    stdin: () => Promise.resolve(stdin),
    out: (line) => (out += `${line}\n`),
    err: (line) => err.push(line),
    isOutputLost: async () => false,
    onStop() {},
    onReload() {},
    onUnhandledRejection() {},
    onUncaughtException() {},
    streams: () => Promise.resolve(streams),
  });
  return { status, out, err: err.join("\n"), writes };
}
