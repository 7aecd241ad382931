/**
 * Bundles the assets of pages and the documentation from the sources: when the executable is built, or at the first
 * page without one.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Hex } from "../lib/ids.ts";
import { parseFunctionTables } from "./base/function-list.ts";
import { ICON_NAMES } from "./base/icons.ts";
import { bundleDocs } from "./docs/bundle-docs.ts";
import { en } from "./texts/en.ts";

export interface BundledFile {
  /** With a content hash: `home.1a2b3c4d.js`. */
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

const PAGES_FOLDER = join(import.meta.dir, "pages");
const BASE_FOLDER = join(import.meta.dir, "base");
const ICON_FILE = join(BASE_FOLDER, "assets", "icon.svg");
const DOCS_FOLDER = join(import.meta.dir, "..", "..", "docs");

/**
 * Bundles scripts, style sheets, the icon and the documentation. Scripts share common code in files named `chunk`.
 * @throws AggregateError when a source cannot be bundled
 */
export async function bundleAssets(): Promise<BundledFile[]> {
  const shared = { minify: true, target: "browser", throw: true } as const;
  const scripts = await Bun.build({
    ...shared,
    entrypoints: [join(BASE_FOLDER, "client", "page.ts"), ...pageFiles((page) => `client/${page}.ts`)],
    format: "esm",
    splitting: true,
    define: {
      FORMULA_FUNCTIONS: JSON.stringify(parseFunctionTables(readFileSync(join(DOCS_FOLDER, "functions.md"), "utf8"))),
    },
    naming: { entry: "[name].[hash].[ext]", chunk: "chunk.[hash].[ext]" },
  });
  const styles = await Bun.build({
    ...shared,
    root: import.meta.dir,
    entrypoints: [join(BASE_FOLDER, "styles", "base.css"), ...pageFiles(() => "styles.css")],
    naming: { entry: "[dir]/[name].[hash].[ext]" },
  });
  const built = [...scripts.outputs, ...styles.outputs].map(async (output) => ({
    name: assetName(output.path),
    content: new Uint8Array(await output.arrayBuffer()),
  }));
  const files = await Promise.all(built);
  return [
    ...files,
    withContentHash("icon.svg", readFileSync(ICON_FILE)),
    withContentHash("icons.svg", createIconFile()),
    withContentHash(IMPORTS_FILE, JSON.stringify(resolveImports(files, ["import-statement"]))),
    withContentHash(TEXT_KEYS_FILE, JSON.stringify(collectTextKeys(files))),
    ...docsFiles(),
  ];
}

/** Creates the file of all icons of pages, each a symbol. */
function createIconFile(): string {
  const folder = join(dirname(Bun.resolveSync("lucide-static/package.json", import.meta.dir)), "icons");
  const symbols = ICON_NAMES.map((name) => {
    const [, shapes = ""] = /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(join(folder, `${name}.svg`), "utf8")) ?? [];
    return `<symbol id="${name}" viewBox="0 0 24 24">${shapes.replaceAll(/\s+(?=<|$)/g, "")}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
}

function docsFiles(): BundledFile[] {
  const files = new Map<string, BundledFile>();
  const addAsset = (name: string, content: string | Uint8Array<ArrayBuffer>) => {
    const file = withContentHash(name, content);
    files.set(name, file);
    return `/assets/${file.name}`;
  };
  bundleDocs({ folder: DOCS_FOLDER, addAsset });
  return [...files.values()];
}

/** Name of the manifest of script imports: an object of lists, by file names. */
const IMPORTS_FILE = "imports.json";

/** Name of the manifest of texts: the keys of each script with its imports, by file names. */
const TEXT_KEYS_FILE = "text-keys.json";

/** Keys, and families of keys such as `error.*`, are literals, which minifying keeps. */
const LITERAL = /(["'`])([a-z]\w*(?:\.\w+)*(?:\.\*)?)\1/gi;

/** Returns the keys of the texts that each script uses, including the files that it loads on demand. */
function collectTextKeys(files: readonly BundledFile[]): Record<string, string[]> {
  const keys = Object.keys(en);
  const keysIn = (content: Uint8Array): Set<string> => {
    const literals = new Set([...new TextDecoder().decode(content).matchAll(LITERAL)].map(([, , text]) => text));
    return new Set(keys.filter((key) => literals.has(key) || literals.has(key.replace(/\..*/s, ".*"))));
  };
  const scripts = files.filter(({ name }) => name.endsWith(".js"));
  const own = new Map(scripts.map(({ name, content }) => [name, keysIn(content)]));
  const imports = resolveImports(files, ["import-statement", "dynamic-import"]);
  return Object.fromEntries(
    Object.entries(imports).map(([name, needed]) => {
      const used = [name, ...needed].map((each) => own.get(each) ?? new Set<string>());
      return [name, keys.filter((key) => used.some((set) => set.has(key)))];
    }),
  );
}

/** Returns the transitive imports of each script. */
function resolveImports(files: readonly BundledFile[], kinds: readonly string[]): Record<string, string[]> {
  const transpiler = new Bun.Transpiler({ loader: "js" });
  const direct = new Map(
    files
      .filter(({ name }) => name.endsWith(".js"))
      .map(({ name, content }) => {
        const imports = transpiler.scanImports(content).filter(({ kind }) => kinds.includes(kind));
        return [name, imports.map(({ path }) => path.replace("./", ""))];
      }),
  );
  const collect = (name: string, found = new Set<string>()): Set<string> => {
    for (const each of direct.get(name) ?? []) if (!found.has(each)) collect(each, found.add(each));
    return found;
  };
  return Object.fromEntries([...direct.keys()].map((name) => [name, [...collect(name)]]));
}

function withContentHash(name: string, content: string | Uint8Array<ArrayBuffer>): BundledFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { name: name.replace(".", `.${sha256Hex(bytes).slice(0, 8)}.`), content: bytes };
}

/** Returns the files in the pages' folders, by page name. */
const pageFiles = (pathOf: (page: string) => string): string[] =>
  readdirSync(PAGES_FOLDER)
    .toSorted()
    .map((page) => join(PAGES_FOLDER, page, pathOf(page)))
    .filter((path) => existsSync(path));

/** Style sheets of pages are all called `styles.css`; the output is named after the page. */
const assetName = (path: string): string => path.replace(/^.*pages\/([^/]+)\/styles\./, "$1.").replace(/^.*\//, "");
