import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../src/commands/run.ts";
import type { TestApp } from "../helpers/app.ts";
import { type ListeningApp, listeningApp } from "../helpers/listening-app.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let server: TestApp;
let listening: ListeningApp;
let address: string;
let uuid: string;
/** Path of the document in the API. */
let doc: string;

beforeAll(async () => {
  listening = await listeningApp();
  ({ server, address } = listening);
  ({ doc, uuid } = await createSharedFixture(server));
});
afterAll(async () => {
  await listening[Symbol.asyncDispose]();
});

interface Started {
  readonly status: Promise<number>;
  readonly out: string[];
  readonly err: string[];
  stop(): void;
}

function start(args: readonly string[], key = server.keys.owner): Started {
  const [out, err]: [string[], string[]] = [[], []];
  const started = { out, err, stop: () => {} };
  const status = run({
    args: ["types", ...args],
    env: { XDG_CONFIG_HOME: tempFolder(), QUERN_API_KEY: key },
    stdin: () => Promise.resolve(""),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    isOutputLost: async () => false,
    onStop: (stop) => (started.stop = stop),
    onReload() {},
    onUnhandledRejection() {},
    onUncaughtException() {},
  });
  return Object.assign(started, { status });
}

const COLUMN = '    A: { type: "Any" };\n';

describe("the types of a document come from", () => {
  const sources: readonly (readonly [name: string, source: () => string])[] = [
    ["the address of its page", () => `${address}/o/docs/docs/${uuid}/tables/Table1?sort=A`],
    ["its address in the API", () => `${address}/o/docs/api/docs/${uuid}`],
    ["the address of its types", () => `${address}/o/docs/api/docs/${uuid}/types.d.ts`],
    ["its file, while a server has it open", () => join(server.folder, "docs", uuid, "document.grist")],
  ];
  test.each(sources)("%s", async (_, source) => {
    const file = join(tempFolder(), "schema.d.ts");
    const { status, out, err } = start([source(), "--out", file]);
    expect([await status, out, err]).toEqual([0, [], []]);
    const declared = readFileSync(file, "utf8");
    expect(declared).toContain(COLUMN);

    const printed = start([source()]);
    expect(await printed.status).toBe(0);
    expect(`${printed.out.join("\n")}\n`).toBe(declared);
  });
});

describe("the command refuses", () => {
  test.each<[name: string, status: number, args: () => string[], error: RegExp]>([
    ["a file that does not exist", 2, () => ["missing.grist"], /^quern types: file not found: missing\.grist$/],
    ["a file that is no document", 1, () => [noDocument()], /^quern types: /],
    ["--watch without --out", 2, () => [`${address}/docs/${uuid}`, "--watch"], /--watch needs --out$/],
    ["the address of something else", 2, () => [`${address}/o/docs`], /is not the URL of a document/],
    [
      "a server that does not answer",
      3,
      () => ["http://127.0.0.1:1/docs/x"],
      /^quern types: http:\/\/127\.0\.0\.1:1 does not answer: connection refused$/,
    ],
    ["a document that does not exist", 1, () => [`${address}/docs/nothing`], /^quern types: document not found$/],
    ["a key that is wrong", 1, () => [`${address}/o/docs/docs/${uuid}`], /^quern types: .* \(API key of http/],
    ["an id without a server", 2, () => [uuid], /^quern types: QUERN_API_KEY needs the URL of its server/],
    ["an id without a server, watching", 2, () => [uuid, "--watch", "--out", "x"], /QUERN_API_KEY needs the URL/],
  ])("%s", async (name, expected, args, error) => {
    const { status, out, err } = start(args(), name === "a key that is wrong" ? "0".repeat(40) : server.keys.owner);
    expect([await status, out]).toEqual([expected, []]);
    expect(err.join("\n")).toMatch(error);
  });
});

function noDocument(): string {
  const path = join(tempFolder(), "notes.txt");
  writeFileSync(path, "notes");
  return path;
}

describe("--watch follows the changes of", () => {
  test.each<[name: string, source: () => string]>([
    ["a document of a server", () => `${address}/o/docs/docs/${uuid}`],
    ["a file", () => join(server.folder, "docs", uuid, "document.grist")],
  ])(
    "%s",
    async (name, source) => {
      const file = join(tempFolder(), "schema.d.ts");
      const watching = start([source(), "--watch", "--out", file]);
      await expectPoll(() => watching.err).toEqual([`Wrote ${file}`]);
      const id = name === "a file" ? "InFile" : "OnServer";
      await server.must("POST", `${doc}/tables/Table1/columns`, { columns: [{ id, fields: { type: "Int" } }] });
      await expectPoll(() => readFileSync(file, "utf8")).toContain(`    ${id}: { type: "Int" };`);
      watching.stop();
      expect(await watching.status).toBe(0);
    },
    60_000,
  );
});
