/**
 * Puts packages that few requests need into the executable as compressed scripts: a module and its bytecode would take
 * ten times the space. The first import decompresses and runs the script.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

interface PackedPackage {
  /** What the program imports. */
  readonly specifier: string;
  /** Packages whose modules the script shares with the program. */
  readonly shared?: readonly string[];
}

/** Packages that are imported on first use. A package that every start or most documents need loads faster as bytecode. */
export const PACKED_PACKAGES: readonly PackedPackage[] = [
  { specifier: "@simplewebauthn/server" },
  { specifier: "markdown-it" },
  { specifier: "nodemailer" },
  { specifier: "openid-client" },
  { specifier: "pg" },
  { specifier: "re2js" },
  { specifier: "scimmy" },
  { specifier: "yaml" },
];

/** Returns the plugin for the bundler. `folder` receives the scripts, which the executable embeds. */
export function packedPackages(folder: string): Bun.BunPlugin {
  return {
    name: "packed-packages",
    async setup(bundle) {
      await rm(folder, { recursive: true, force: true });
      for (const packed of PACKED_PACKAGES) {
        // The bundler lists a folder once, so all files have to exist before it resolves the first one.
        const path = await packPackage(packed, folder);
        bundle.onResolve({ filter: new RegExp(`^${RegExp.escape(packed.specifier)}$`) }, () => ({ path }));
      }
    },
  };
}

/**
 * Writes the compressed script of a package, and a module with the same exports that runs it. Returns the module's path.
 * @throws Error if the package cannot be bundled
 */
export async function packPackage({ specifier, shared = [] }: PackedPackage, folder: string): Promise<string> {
  const name = specifier.replaceAll(/\W+/g, "-").replace(/^-/, "");
  const exported = Object.keys((await import(specifier)) as object).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
  const entry = join(folder, `${name}-entry.js`);
  const source = Bun.resolveSync(specifier, import.meta.dir);
  await Bun.write(entry, `export { ${exported.join(", ")} } from ${JSON.stringify(source)};`);
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "cjs",
    minify: true,
    external: [...shared],
  });
  const [script] = outputs;
  if (!script) throw new Error(`${specifier} has no script`);
  const data = join(folder, `${name}.js.br`);
  const text = await script.text();
  await Bun.write(
    data,
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text) } }),
  );
  const path = join(folder, `${name}.js`);
  await Bun.write(path, loaderOf(data, { exported, shared }));
  return path;
}

/** Returns a module that runs a compressed CommonJS script when it is loaded, and has its exports. */
function loaderOf(
  script: string,
  { exported, shared }: { readonly exported: readonly string[]; readonly shared: readonly string[] },
): string {
  const named = exported.filter((name) => name !== "default");
  return `
  import { readFileSync } from "node:fs";
  import { createRequire } from "node:module";
  import { brotliDecompressSync } from "node:zlib";
  import path from ${JSON.stringify(script)} with { type: "file" };
  ${shared.map((specifier, i) => `import * as shared${i} from ${JSON.stringify(specifier)};`).join("\n")}
  const builtIn = createRequire(import.meta.url);
  const shared = { ${shared.map((specifier, i) => `${JSON.stringify(specifier)}: shared${i}`).join(", ")} };
  const load = (id) => Object.hasOwn(shared, id) ? shared[id] : builtIn(id);
  const module = { exports: {} };
  // The script is one expression: a function with the parameters of a CommonJS module.
  (0, eval)(brotliDecompressSync(readFileSync(path)).toString())(module.exports, load, module, path, "/");
  export const { ${named.join(", ")} } = module.exports;
  ${exported.includes("default") ? "export default module.exports.default;" : ""}`;
}
