import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import * as rules from "./architecture/rules.ts";
import { parseSource, readSources, type Source } from "./architecture/sources.ts";

const sources = readSources("src");
const paths = [
  ...new Bun.Glob("{src,test,scripts}/**/*").scanSync({ cwd: join(import.meta.dir, ".."), onlyFiles: true }),
].toSorted();

/** Sources made up for a test: path below `src/` → text. */
const made = (files: Record<string, string>): Source[] =>
  Object.entries(files).map(([path, text]) => parseSource(`src/${path}`, text));

describe("the sources keep", () => {
  test("to being there at all", () => expect(sources.length).toBeGreaterThan(50));
  test("the table of imports", () => expect(rules.importTable(sources)).toEqual([]));
  test("plain imports", () => expect(rules.plainImports(sources)).toEqual([]));
  test("free of cycles", () => expect(rules.noCycles(sources)).toEqual([]));
  test("the size of files", () => expect(rules.fileSizes(sources)).toEqual([]));
  test("the names of files", () => expect(rules.kebabCase(paths)).toEqual([]));
  test("command line, environment and exit to main.ts", () => expect(rules.processConfined(sources)).toEqual([]));
  test("output to main.ts", () => expect(rules.outputConfined(sources)).toEqual([]));
  test("callbacks of timers and listeners guarded", () => expect(rules.callbacksGuarded(sources)).toEqual([]));
  test("SQLite to the stores", () => expect(rules.storesConfined(sources)).toEqual([]));
  test("the making of grants to the guards", () => expect(rules.grantsConfined(sources)).toEqual([]));
});

describe("the table of imports refuses", () => {
  test.each([
    ["a leaf that imports", "lib/a.ts", `import { x } from "../errors.ts";`],
    ["a type import", "home/a.ts", `import type { X } from "../services/b.ts";`],
    ["a type in place", "values/a.ts", `export const x = (y: import("../doc/b.ts").Y) => y;`],
    ["a type query in place", "values/a.ts", `export let x: typeof import("../doc/b.ts");`],
    ["a re-export", "wire/a.ts", `export { x } from "../http/b.ts";`],
    ["a re-export of everything", "wire/a.ts", `export * from "../http/b.ts";`],
    ["a late import", "services/a.ts", `await import("../doc/b.ts");`],
    ["a require", "services/a.ts", `require("../doc/b.ts");`],
    ["a deep file", "http/routes/a.ts", `import { x } from "../../home/b.ts";`],
    ["a way round the door", "services/a.ts", `import { x } from "../hosts/../doc/b.ts";`],
    ["what lies outside", "lib/a.ts", `import manifest from "../../package.json";`],
    ["values of the contract in services", "services/a.ts", `import { x } from "../wire/b.ts";`],
    ["an unknown part", "odd/a.ts", `import { x } from "../lib/b.ts";`],
  ])("%s", (_, path, text) => {
    expect(rules.importTable(made({ [path]: text }))).toHaveLength(1);
  });

  test("nothing that is allowed", () => {
    const allowed = {
      "lib/a.ts": `import { x } from "./b.ts"; import { join } from "node:path";`,
      "services/a.ts": `import type { X } from "../wire/b.ts"; import { type Y } from "../wire/c.ts";`,
      "http/routes/a.ts": `import { x } from "../../services/a.ts"; // import { y } from "../../doc/c.ts"`,
      "web/pages/a.tsx": `import { x } from "../../services/a.ts"; export const page = <p>import "../../doc/b.ts"</p>;`,
    };
    expect(rules.importTable(made(allowed))).toEqual([]);
  });
});

test("imports without an ending, from the root or computed are refused", () => {
  const bad = `import "./b"; import "../lib"; import "/etc/x.ts"; const name = "./c.ts"; await import(name);`;
  expect(rules.plainImports(made({ "lib/a.ts": bad }))).toHaveLength(4);
  expect(rules.plainImports(made({ "lib/a.ts": `import x from "./b.sql" with { type: "text" };` }))).toEqual([]);
});

test("cycles are found, through types too", () => {
  const cyclic = made({
    "lib/a.ts": `import { b } from "./b.ts";`,
    "lib/b.ts": `export { c } from "./c.ts";`,
    "lib/c.ts": `import type { A } from "./a.ts";`,
    "lib/d.ts": `import { a } from "./a.ts";`,
  });
  expect(rules.noCycles(cyclic)).toEqual(["cycle: src/lib/a.ts → src/lib/b.ts → src/lib/c.ts → src/lib/a.ts"]);
  expect(rules.noCycles(cyclic.slice(1))).toEqual([]);
});

test("a file of 401 lines is too long, one of 400 is not", () => {
  expect(rules.fileSizes(made({ "lib/a.ts": "export {};\n".repeat(400) }))).toEqual([]);
  expect(rules.fileSizes(made({ "lib/a.ts": "export {};\n".repeat(401) }))).toHaveLength(1);
});

test("names in capitals or with underscores are refused", () => {
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

describe("outside main.ts is refused", () => {
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
    expect(rules.processConfined(made({ "lib/a.ts": text }))).not.toEqual([]);
    expect(rules.processConfined(made({ "main.ts": text }))).toEqual([]);
  });

  test("but not what neither reads them nor ends the process", () => {
    const text = "process.memoryUsage(); const x = { process: 1 }; x.process; interface Y { process: number }";
    expect(rules.processConfined(made({ "lib/a.ts": text }))).toEqual([]);
  });
});

test.each(["console.log(1);", "const { log } = console;", "process.stdout.write('');", "globalThis.console.log(1);"])(
  "output outside main.ts is refused: %s",
  (text) => {
    expect(rules.outputConfined(made({ "commands/a.ts": text }))).toHaveLength(1);
    expect(rules.outputConfined(made({ "main.ts": text }))).toEqual([]);
  },
);

test.each([`import { Database } from "bun:sqlite";`, `import type { X } from "drizzle-orm/bun-sqlite";`])(
  "a database outside the stores is refused: %s",
  (text) => {
    expect(rules.storesConfined(made({ "services/a.ts": text }))).toHaveLength(1);
    expect(rules.storesConfined(made({ "sqlite/a.ts": text, "home/a.ts": text, "doc/a.ts": text }))).toEqual([]);
  },
);

test.each([
  "setTimeout(work, 10);",
  "const later = globalThis.setTimeout;",
  "await new Promise(setImmediate);",
  'worker.on("message", (message) => hear(message));',
  'signal.addEventListener("abort", abort, { once: true });',
  "for (const event of events) stream.once(event, close);",
])("a callback that may end the process is refused: %s", (text) => {
  expect(rules.callbacksGuarded(made({ "hosts/a.ts": text }))).toHaveLength(1);
  expect(rules.callbacksGuarded(made({ "web/pages/a/client/a.ts": text }))).toEqual([]);
});

test.each([
  'worker.on("message", guarded(hear));',
  'const abort = guarded(() => end()); signal.addEventListener("abort", abort, { once: true });',
  "index('by_user').on(table.userId, table.orgId);",
  "const timers = { setTimeout: 1 }; timers.setTimeout;",
])("a callback that is guarded, or no callback, is accepted: %s", (text) => {
  expect(rules.callbacksGuarded(made({ "hosts/a.ts": text }))).toEqual([]);
});

test("grants made anywhere but in the guards are refused", () => {
  const byName = `import { grantChecked } from "../access.ts"; grantChecked({});`;
  const byCast = "export const grant = {} as unknown as DocumentGrant;";
  expect(rules.grantsConfined(made({ "http/a.ts": byName })).length).toBeGreaterThan(0);
  expect(rules.grantsConfined(made({ "http/a.ts": byCast }))).toHaveLength(1);
  expect(rules.grantsConfined(made({ "services/access/guards.ts": byName + byCast }))).toEqual([]);
});
