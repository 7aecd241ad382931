import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textsFromCatalogue } from "./architecture/page-texts.ts";
import * as rules from "./architecture/rules.ts";
import { parseSource, readSources, type Source } from "./architecture/sources.ts";

const sources = readSources("src");
const paths = [
  ...new Bun.Glob("{src,test,scripts}/**/*").scanSync({ cwd: join(import.meta.dir, ".."), onlyFiles: true }),
].toSorted();

/** Synthetic sources for a test: path below `src/` → text. */
const synthetic = (files: Record<string, string>): Source[] =>
  Object.entries(files).map(([path, text]) => parseSource(`src/${path}`, text));

describe("the sources", () => {
  test("are found", () => expect(sources.length).toBeGreaterThan(50));
  test("obey the import table", () => expect(rules.importTable(sources)).toEqual([]));
  test("leave the client without packages", () => expect(rules.clientWithoutPackages(sources)).toEqual([]));
  test("use relative imports with extensions", () => expect(rules.plainImports(sources)).toEqual([]));
  test("have no import cycles", () => expect(rules.noCycles(sources)).toEqual([]));
  test("obey the maximum file size", () => expect(rules.fileSizes(sources)).toEqual([]));
  test("obey the naming of files", () => expect(rules.kebabCase(paths)).toEqual([]));
  test("read the command line and the environment, and exit, only in main.ts", () =>
    expect(rules.processConfined(sources)).toEqual([]));
  test("write output only in main.ts", () => expect(rules.outputConfined(sources)).toEqual([]));
  test("guard callbacks of timers and listeners", () => expect(rules.callbacksGuarded(sources)).toEqual([]));
  test("use SQLite only in the stores", () => expect(rules.storesConfined(sources)).toEqual([]));
  test("use literals as keys of page texts", () => expect(rules.textKeysLiteral(sources)).toEqual([]));
  test("take texts of pages from the catalogue", () => expect(textsFromCatalogue(sources)).toEqual([]));
  test("create grants only in the guards", () => expect(rules.grantsConfined(sources)).toEqual([]));
});

describe("the import table rejects", () => {
  test.each([
    ["a leaf that imports", "lib/a.ts", `import { x } from "../errors.ts";`],
    ["a value that the client shares", "sdk/a.ts", `import { x } from "../errors/codes.ts";`],
    ["a type of another part in the client", "sdk/a.ts", `import type { X } from "../wire/b.ts";`],
    ["the client in the server", "web/a.ts", `import type { X } from "../sdk/b.ts";`],
    ["a type import", "home/a.ts", `import type { X } from "../services/b.ts";`],
    ["a type in place", "values/a.ts", `export const x = (y: import("../doc/b.ts").Y) => y;`],
    ["a type query in place", "values/a.ts", `export let x: typeof import("../doc/b.ts");`],
    ["a re-export", "wire/a.ts", `export { x } from "../http/b.ts";`],
    ["a re-export of everything", "wire/a.ts", `export * from "../http/b.ts";`],
    ["a late import", "services/a.ts", `await import("../doc/b.ts");`],
    ["a require", "services/a.ts", `require("../doc/b.ts");`],
    ["a deep file", "http/routes/a.ts", `import { x } from "../../home/b.ts";`],
    ["a path around the allowed part", "services/a.ts", `import { x } from "../hosts/../doc/b.ts";`],
    ["a file outside of src/", "lib/a.ts", `import manifest from "../../package.json";`],
    ["values of the contract in services", "services/a.ts", `import { x } from "../wire/b.ts";`],
    ["an unknown part", "odd/a.ts", `import { x } from "../lib/b.ts";`],
  ])("%s", (_, path, text) => {
    expect(rules.importTable(synthetic({ [path]: text }))).toHaveLength(1);
  });

  test("nothing else", () => {
    const allowed = {
      "lib/a.ts": `import { x } from "./b.ts"; import { join } from "node:path";`,
      "services/a.ts": `import type { X } from "../wire/b.ts"; import { type Y } from "../wire/c.ts";`,
      "http/routes/a.ts": `import { x } from "../../services/a.ts"; // import { y } from "../../doc/c.ts"`,
      "web/pages/a.tsx": `import { x } from "../../services/a.ts"; export const page = <p>import "../../doc/b.ts"</p>;`,
    };
    expect(rules.importTable(synthetic(allowed))).toEqual([]);
  });
});

test("imports without an extension, from the root or computed are rejected", () => {
  const bad = `import "./b"; import "../lib"; import "/etc/x.ts"; const name = "./c.ts"; await import(name);`;
  expect(rules.plainImports(synthetic({ "lib/a.ts": bad }))).toHaveLength(4);
  expect(rules.plainImports(synthetic({ "lib/a.ts": `import x from "./b.sql" with { type: "text" };` }))).toEqual([]);
});

test("finds cycles, through types too", () => {
  const cyclic = synthetic({
    "lib/a.ts": `import { b } from "./b.ts";`,
    "lib/b.ts": `export { c } from "./c.ts";`,
    "lib/c.ts": `import type { A } from "./a.ts";`,
    "lib/d.ts": `import { a } from "./a.ts";`,
  });
  expect(rules.noCycles(cyclic)).toEqual(["cycle: src/lib/a.ts → src/lib/b.ts → src/lib/c.ts → src/lib/a.ts"]);
  expect(rules.noCycles(cyclic.slice(1))).toEqual([]);
});

test("rejects files of more than 400 lines", () => {
  expect(rules.fileSizes(synthetic({ "lib/a.ts": "export {};\n".repeat(400) }))).toEqual([]);
  expect(rules.fileSizes(synthetic({ "lib/a.ts": "export {};\n".repeat(401) }))).toHaveLength(1);
});

test.each([
  "t(`trash.${name}`);",
  `t("trash." + name);`,
  `t(isEmpty ? "trash.empty" : keyOf(name));`,
  "t.rich(`trash.${name}`, {});",
  "useTexts()(`trash.${name}`);",
  "const key = `trash.${name}` as const;",
  "const key = name as LabelKey;",
])("rejects keys of page texts that are put together: %s", (text) => {
  expect(rules.textKeysLiteral(synthetic({ "web/a.ts": text }))).toHaveLength(1);
});

test.each([
  "<p>Not found</p>;",
  '<p>{isEmpty ? "No rows" : t("a.b")}</p>;',
  '<p>{name || "(no name)"}</p>;',
  "<p>{`${count} rows`}</p>;",
  '<input aria-label="Search" />;',
  '<input placeholder={isShort ? "Search" : t("a.b")} />;',
  'h("p", {}, "Not found");',
  'h("p", { title: "Not found" });',
  "openDialog({ title: `Delete ${name}?`, content: [] });",
  'showToast("Deleted");',
  'button.textContent = "Copied";',
  'button.setAttribute("aria-label", "Close");',
])("rejects texts of pages that are not from the catalogue: %s", (text) => {
  expect(textsFromCatalogue(synthetic({ "web/a.tsx": text }))).toHaveLength(1);
});

test("accepts texts of the catalogue, marked data and errors for developers", () => {
  const text = `
    <p class="quiet note">{t("a.b")} · <code translate="no">quern serve</code></p>;
    <form method="post" action="/sign-out"><input name="label" type="search" /></form>;
    h("p", { class: "quiet note", translate: "no" }, "quern serve");
    h("p", { title: t("a.b") }, name, t("a.c"));
    const labels = { title: "a.b" };
    throw new Error("no text here");`;
  expect(textsFromCatalogue(synthetic({ "web/a.tsx": text }))).toEqual([]);
});

test("accepts literals and names as keys of page texts", () => {
  const text = 't("trash.title"); t(isEmpty ? "a.b" : "a.c"); t(item.label); t.rich("a.b", { x: `y${z}` });';
  expect(rules.textKeysLiteral(synthetic({ "web/a.ts": text }))).toEqual([]);
});

test("rejects names with capitals or underscores", () => {
  const bad = ["src/lib/rateLimit.ts", "src/Lib/a.ts", "src/lib/rate_limit.ts", "test/-a.ts"];
  expect(rules.kebabCase(bad)).toHaveLength(bad.length);
  expect(
    rules.kebabCase([
      "src/lib/concurrency/rate-limiter.ts",
      "test/lib/concurrency/rate-limiter.test.ts",
      "scripts/start",
    ]),
  ).toEqual([]);
});

describe("rejected outside of main.ts", () => {
  test.each([
    "process.env.HOME;",
    `process["argv"];`,
    "process?.exit(1);",
    "process.exitCode = 1;",
    "globalThis.process.env;",
    "Bun.env.HOME;",
    "Bun.argv;",
    "import.meta.env.HOME;",
    "const { env } = process;",
    "const p = process;",
    "const name = 'env' as const; process[name];",
    `import { env } from "node:process";`,
  ])("%s", (text) => {
    expect(rules.processConfined(synthetic({ "lib/a.ts": text }))).not.toEqual([]);
    expect(rules.processConfined(synthetic({ "main.ts": text }))).toEqual([]);
  });

  test("accepts other uses of process", () => {
    const text = "process.memoryUsage(); const x = { process: 1 }; x.process; interface Y { process: number }";
    expect(rules.processConfined(synthetic({ "lib/a.ts": text }))).toEqual([]);
  });
});

test.each(["console.log(1);", "const { log } = console;", "process.stdout.write('');", "globalThis.console.log(1);"])(
  "rejects output outside of main.ts: %s",
  (text) => {
    expect(rules.outputConfined(synthetic({ "commands/a.ts": text }))).toHaveLength(1);
    expect(rules.outputConfined(synthetic({ "main.ts": text }))).toEqual([]);
  },
);

test("rejects a package in the client", () => {
  const text = `import type { X } from "zod";`;
  expect(rules.clientWithoutPackages(synthetic({ "sdk/a.ts": text }))).toHaveLength(1);
  expect(rules.clientWithoutPackages(synthetic({ "wire/a.ts": text, "sdk/b.ts": `import "./a.ts";` }))).toEqual([]);
});

test.each([`import { Database } from "bun:sqlite";`, `import type { X } from "drizzle-orm/bun-sqlite";`])(
  "rejects a database outside of the stores: %s",
  (text) => {
    expect(rules.storesConfined(synthetic({ "services/a.ts": text }))).toHaveLength(1);
    expect(rules.storesConfined(synthetic({ "sqlite/a.ts": text, "home/a.ts": text, "doc/a.ts": text }))).toEqual([]);
  },
);

test.each([
  "setTimeout(work, 10);",
  "const later = globalThis.setTimeout;",
  "await new Promise(setImmediate);",
  'worker.on("message", (message) => hear(message));',
  'signal.addEventListener("abort", abort, { once: true });',
  "for (const event of events) stream.once(event, close);",
])("rejects an unguarded callback: %s", (text) => {
  expect(rules.callbacksGuarded(synthetic({ "hosts/a.ts": text }))).toHaveLength(1);
  expect(rules.callbacksGuarded(synthetic({ "web/pages/a/client/a.ts": text }))).toEqual([]);
});

test.each([
  'worker.on("message", guarded(hear));',
  'const abort = guarded(() => end()); signal.addEventListener("abort", abort, { once: true });',
  "index('by_user').on(table.userId, table.orgId);",
  "const timers = { setTimeout: 1 }; timers.setTimeout;",
])("accepts guarded callbacks, and calls without callbacks: %s", (text) => {
  expect(rules.callbacksGuarded(synthetic({ "hosts/a.ts": text }))).toEqual([]);
});

test("rejects grants created outside of the guards", () => {
  const byName = `import { grantChecked } from "../access.ts"; grantChecked({});`;
  const byCast = "export const grant = {} as unknown as DocumentGrant;";
  expect(rules.grantsConfined(synthetic({ "http/a.ts": byName })).length).toBeGreaterThan(0);
  expect(rules.grantsConfined(synthetic({ "http/a.ts": byCast }))).toHaveLength(1);
  expect(rules.grantsConfined(synthetic({ "services/access/guards.ts": byName + byCast }))).toEqual([]);
});

/** Returns the names of the members of an interface. */
function membersOf(path: string, name: string): string[] {
  const text = readFileSync(join(import.meta.dir, "../src", path), "utf8");
  const [, body] = new RegExp(`^export interface ${name} (?:extends \\w+ )?\\{\n(.*?)^\\}`, "ms").exec(text) ?? [];
  return [...(body ?? "").matchAll(/^  readonly (\w+)\??:/gm)].map(([, member = ""]) => member);
}

test("ARCHITECTURE.md says of every store of the composition where it is in a cluster", () => {
  const text = readFileSync(join(import.meta.dir, "../ARCHITECTURE.md"), "utf8");
  const [, section = ""] = text.split("\n## State outside of documents and home\n");
  const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  const needed = [
    ...membersOf("services/context.ts", "Context"),
    ...membersOf("services/accounts/identity.ts", "Identity"),
    ...membersOf("http/call.ts", "RequestServices"),
    ...membersOf("http/chain.ts", "ChainOptions").filter((name) => ["inFlight", "metrics"].includes(name)),
  ];
  expect(needed.length).toBeGreaterThan(25);
  expect(listed.toSorted()).toEqual(needed.toSorted());
});
