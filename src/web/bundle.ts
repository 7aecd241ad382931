/** Bundles what pages load, from the sources: when the executable is built, or at the first page without one. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../lib/ids.ts";
import { readFunctions } from "./function-list.ts";

export interface BundledFile {
  /** With a hash of the content: `home.1a2b3c4d.js`. */
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Every file directly in one of these folders is an entry of its own; what lies deeper is there to be imported. */
const SCRIPTS = join(import.meta.dir, "client");
const STYLES = join(import.meta.dir, "styles");
const ICON = join(import.meta.dir, "assets", "icon.svg");
const FUNCTIONS = join(import.meta.dir, "..", "..", "docs", "functions.md");

/**
 * The scripts, style sheets and the icon. Scripts share what they have in common in files of their own, named `chunk`.
 * @throws AggregateError when a source cannot be bundled
 */
export async function bundleAssets(): Promise<BundledFile[]> {
  const shared = { minify: true, target: "browser", throw: true } as const;
  const scripts = await Bun.build({
    ...shared,
    entrypoints: filesIn(SCRIPTS, ".ts"),
    format: "esm",
    splitting: true,
    define: { FORMULA_FUNCTIONS: JSON.stringify(readFunctions(readFileSync(FUNCTIONS, "utf8"))) },
    naming: { entry: "[name].[hash].[ext]", chunk: "chunk.[hash].[ext]" },
  });
  const styles = await Bun.build({
    ...shared,
    entrypoints: filesIn(STYLES, ".css"),
    naming: { entry: "[name].[hash].[ext]" },
  });
  const built = [...scripts.outputs, ...styles.outputs].map(async (output) => ({
    name: output.path.replace(/^.*\//, ""),
    content: new Uint8Array(await output.arrayBuffer()),
  }));
  const files = await Promise.all(built);
  return [...files, named("icon.svg", readFileSync(ICON)), named(IMPORTS, JSON.stringify(importsOf(files)))];
}

/** What the file is called that tells which scripts a script imports: as an object of lists, by the names of files. */
const IMPORTS = "imports.json";

/** Of each script what has to be there before it runs: what it imports, and what that imports. */
function importsOf(files: readonly BundledFile[]): Record<string, string[]> {
  const transpiler = new Bun.Transpiler({ loader: "js" });
  const direct = new Map(
    files
      .filter(({ name }) => name.endsWith(".js"))
      .map(({ name, content }) => {
        const imports = transpiler.scanImports(content).filter(({ kind }) => kind === "import-statement");
        return [name, imports.map(({ path }) => path.replace("./", ""))];
      }),
  );
  const all = (name: string, found = new Set<string>()): Set<string> => {
    for (const each of direct.get(name) ?? []) if (!found.has(each)) all(each, found.add(each));
    return found;
  };
  return Object.fromEntries([...direct.keys()].map((name) => [name, [...all(name)]]));
}

function named(name: string, content: string | Uint8Array<ArrayBuffer>): BundledFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { name: name.replace(".", `.${sha256Hex(bytes).slice(0, 8)}.`), content: bytes };
}

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => join(folder, name));
