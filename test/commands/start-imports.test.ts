/** What the server's main thread loads at its start: documents are opened in worker threads. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const SOURCE = join(import.meta.dir, "../../src");

/** Returns the files that a file imports statically, directly or indirectly, without types. */
function importedFiles(entry: string): Set<string> {
  const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };
  const found = new Set<string>();
  const pending = [entry];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (found.has(file) || !/\.tsx?$/.test(file)) continue;
    found.add(file);
    const transpiler = file.endsWith("x") ? transpilers.tsx : transpilers.ts;
    for (const { kind, path } of transpiler.scanImports(readFileSync(file, "utf8"))) {
      if (kind === "import-statement" && path.startsWith(".")) pending.push(join(dirname(file), path));
    }
  }
  return new Set([...found].map((file) => relative(SOURCE, file)));
}

test("the start of the server loads no code of formulas, actions, pages and the replicated log", () => {
  const files = importedFiles(join(SOURCE, "commands/run.ts"));
  expect(files).toContain("commands/serve.ts");
  expect(files).toContain("http/server.ts");
  // Commands look up in it whether the documents of a folder are in a log.
  files.delete("cluster/log-folder.ts");
  const unexpected = [...files].filter((file) =>
    /^(formula|web\/pages|cluster|doc\/(actions|formulas|rules|read))\//.test(file),
  );
  expect(unexpected).toEqual([]);
});
