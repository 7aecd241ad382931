/** What the server's main thread loads at its start: documents are opened in worker threads. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const SOURCE = join(import.meta.dir, "../../src");

/** What `quern serve` loads; see main.ts. */
const ENTRIES = ["main.ts", "commands/run-command.ts", "commands/serve.ts"];

/** Packages that every start loads; others are loaded on first use. */
const PACKAGES = ["@asteasolutions/zod-to-openapi", "@hono/zod-openapi", "drizzle-orm", "hono"];

/** Returns the files and packages that files import statically, directly or indirectly, without types. */
function imported(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };
  const found = new Set<string>();
  const packages = new Set<string>();
  const pending = [...entries];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (found.has(file) || !/\.tsx?$/.test(file)) continue;
    found.add(file);
    const transpiler = file.endsWith("x") ? transpilers.tsx : transpilers.ts;
    for (const { kind, path } of transpiler.scanImports(readFileSync(file, "utf8"))) {
      if (kind !== "import-statement") continue;
      if (path.startsWith(".")) pending.push(join(dirname(file), path));
      else if (!/^(node|bun)(:|$)/.test(path)) packages.add(packageOf(path));
    }
  }
  return { files: new Set([...found].map((file) => relative(SOURCE, file))), packages };
}

const packageOf = (path: string): string => path.split("/", path.startsWith("@") ? 2 : 1).join("/");

test("the start of the server loads no code of formulas, actions, pages and the replicated log", () => {
  const { files } = imported(ENTRIES.map((entry) => join(SOURCE, entry)));
  expect(files).toContain("commands/serve.ts");
  expect(files).toContain("http/server.ts");
  // Commands look up in it whether the documents of a folder are in a log.
  files.delete("cluster/log-folder.ts");
  const unexpected = [...files].filter((file) =>
    /^(formula|web\/pages|cluster|doc\/(actions|formulas|rules|read))\//.test(file),
  );
  expect(unexpected).toEqual([]);
});

test("the start of the server loads no code of other commands, and no package that few requests need", () => {
  const { files, packages } = imported(ENTRIES.map((entry) => join(SOURCE, entry)));
  const shared = [
    "command",
    "file-descriptors",
    "idle-timeout",
    "listeners",
    "run-command",
    "serve",
    "tls-reloader",
    "with-context",
  ];
  const commands = [...files].filter((file) => file.startsWith("commands/") && file !== "commands/client/options.ts");
  expect(commands.toSorted()).toEqual(shared.map((name) => `commands/${name}.ts`));
  expect([...packages].toSorted()).toEqual(PACKAGES);
});
