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
  const icon = new Uint8Array(readFileSync(ICON));
  return [...(await Promise.all(built)), { name: `icon.${sha256Hex(icon).slice(0, 8)}.svg`, content: icon }];
}

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => join(folder, name));
