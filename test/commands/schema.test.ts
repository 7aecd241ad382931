import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../src/commands/run.ts";
import type { TestApp } from "../helpers/app.ts";
import { type ListeningApp, listeningApp } from "../helpers/listening-app.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";
import { createTeaFixture } from "../helpers/tea-fixture.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let server: TestApp;
let listening: ListeningApp;
let address: string;
let url: string;
let file: string;

beforeAll(async () => {
  listening = await listeningApp();
  ({ server, address } = listening);
});
afterAll(async () => {
  await listening[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const { doc } = await createTeaFixture(server);
  url = `${address}${doc}`;
  file = join(tempFolder(), "schema.yaml");
});

interface Finished {
  readonly status: number;
  readonly out: string[];
  readonly err: string[];
}

async function schema(...args: string[]): Promise<Finished> {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await run({
    args: ["schema", ...args],
    env: { XDG_CONFIG_HOME: tempFolder(), QUERN_API_KEY: server.keys.owner },
    stdin: () => Promise.resolve(""),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    isOutputLost: async () => false,
    onStop() {},
    onReload() {},
    onUnhandledRejection() {},
    onUncaughtException() {},
  });
  return { status, out, err };
}

const text = (): string => readFileSync(file, "utf8");
const edit = (from: string | RegExp, to: string): void => {
  const edited = text().replace(from, to);
  expect(edited).not.toBe(text());
  writeFileSync(file, edited);
};

test("a schema is pulled, compared and applied", async () => {
  expect(await schema("pull", url, "--out", file)).toEqual({ status: 0, out: [], err: [] });
  expect((await schema("pull", url)).out).toEqual([text().trimEnd()]);
  expect(await schema("diff", url, file)).toEqual({ status: 0, out: ["No changes"], err: [] });

  edit("id: Name", "id: Title\n        description: As on the packet");
  const changes = [
    '~ Rename the column "Tea.Name" to "Title"',
    '~ "Tea.Title": Change the label from "Name" to "Title"',
    '~ "Tea.Title": Change the description',
  ];
  expect(await schema("diff", url, file)).toEqual({ status: 1, out: changes, err: [] });
  const { out } = await schema("diff", url, file, "--json");
  const { version } = JSON.parse(out[0] ?? "") as { version: string };
  expect(await schema("apply", url, file, "--if-version", "other")).toMatchObject({ status: 1, out: [] });
  expect(await schema("apply", url, file, "--if-version", version)).toEqual({ status: 0, out: changes, err: [] });
  expect(await schema("diff", url, file)).toMatchObject({ status: 0 });
});

test("pulling keeps the form of properties on one line", async () => {
  await schema("pull", url, "--out", file);
  edit(/Name:\n +id: Name\n +type: Text\n/, "Name: {id: Name, type: Text}\n");
  // Another property has changed, so that the file is written.
  edit("timezone: ", "timezone: Europe/Rome #");
  expect(await schema("pull", url, "--out", file)).toMatchObject({ status: 0 });
  expect(text()).toContain("Name: {id: Name, type: Text}\n");
});

test.each([
  ["tables: []\n", "must have properties"],
  ["tables: {T: {id: T, columns: {A: {id: A, type: Text, choices: a}}}}\n", "must be a list"],
  ["tables: {T: {id: T, onDemand: 1, columns: {}}}\n", "must be true or false"],
])("%j: %s", async (wrong, message) => {
  writeFileSync(file, `version: 1\n${wrong}`);
  const { status, err } = await schema("diff", url, file);
  expect([status, err.join("\n").split(": ").at(-1)]).toEqual([2, message]);
});

test("data is lost only with --allow-data-loss", async () => {
  await schema("pull", url, "--out", file);
  edit(/ {6}Name:\n( {8}.*\n)+/, "");
  const loss = '- Remove the column "Tea.Name" (loses 2 cells)';
  expect(await schema("diff", url, file)).toEqual({ status: 1, out: [loss], err: [] });
  expect(await schema("apply", url, file)).toEqual({
    status: 1,
    out: [],
    err: ["quern schema apply: Data would be lost; allow it with --allow-data-loss:", loss],
  });
  expect(await schema("apply", url, file, "--allow-data-loss")).toEqual({ status: 0, out: [loss], err: [] });
});

test("comments and the order of properties survive a pull into the file", async () => {
  await schema("pull", url, "--out", file);
  edit("      Friend:\n", "      # Who introduced them\n      Friend: # two\n");
  edit("        id: Length\n        type: Any\n", "        type: Any # a number\n        id: Length\n");
  const before = text();
  await schema("pull", url, "--out", file);
  expect(text()).toBe(before);
  // Records the keys.
  await schema("apply", url, file);
  await server.must("POST", `${new URL(url).pathname}/apply`, [["RenameColumn", "Tea", "Length", "Size"]]);
  await schema("pull", url, "--out", file);
  expect(text()).toContain("      # Who introduced them\n      Friend:\n        # two\n");
  expect(text()).toContain("        type: Any # a number\n        id: Size\n");
  expect(await schema("diff", url, file)).toMatchObject({ status: 0 });
});

test("one file brings several documents to the same schema", async () => {
  const production = `${address}${(await createSharedFixture(server)).doc}`;
  await schema("pull", url, "--out", file);
  expect(await schema("apply", production, file)).toMatchObject({ status: 0 });
  edit("id: Tea\n", "id: Drink\n");
  expect(await schema("apply", url, file)).toMatchObject({ status: 0 });
  expect(await schema("apply", production, file)).toMatchObject({
    status: 0,
    out: ['~ Rename the table "Tea" to "Drink"'],
  });
  expect((await schema("pull", production)).out).toEqual((await schema("pull", url)).out);
});

describe("the command refuses", () => {
  const cases: readonly (readonly [string, (name: string) => string[], number, RegExp])[] = [
    ["a file that does not exist", () => ["diff", url, "missing.yaml"], 2, /file not found: missing\.yaml/],
    ["a document that does not exist", (name) => ["diff", `${address}/docs/nothing`, name], 2, /document not found/],
    ["a document that does not exist, applying", (name) => ["apply", `${address}/docs/nothing`, name], 1, /not found/],
    ["a server that does not answer", (name) => ["diff", "http://127.0.0.1:1/docs/x", name], 3, /does not answer/],
    ["no file", () => ["apply", url], 2, /FILE/],
  ];
  test.each(cases)("%s", async (_, args, expected, error) => {
    writeFileSync(file, "version: 1\n");
    const { status, out, err } = await schema(...args(file));
    expect([status, out, err[0]]).toEqual([expected, [], expect.stringMatching(error)]);
  });

  test("problems of the file, with their lines", async () => {
    writeFileSync(
      file,
      "version: 1\ntables:\n  Tea:\n    id: Tea\n    columns:\n      Name:\n        id: Na me\n        type: Texts\n",
    );
    expect(await schema("diff", url, file)).toEqual({
      status: 2,
      out: [],
      err: [
        `quern schema diff: ${file} has 2 problems:`,
        `${file}:7: tables.Tea.columns.Name.id: not a column id; Na_me is`,
        `${file}:8: tables.Tea.columns.Name.type: not a column type`,
      ],
    });
  });
});
