/**
 * Builds the executable: `bun scripts/build.ts` creates dist/quern for this machine's processor, `--all` also the one
 * for the other processor (dist/quern-linux-arm64 when built on x64).
 */
import { $ } from "bun";
import { arch } from "node:process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import manifest from "../package.json";
import { bundleAssets } from "../src/web/bundle.ts";

/** The program, then the entry points of its worker threads and child processes. */
const ENTRIES = [
  "src/main.ts",
  "src/hosts/threads/document-worker-entry.ts",
  "src/hosts/threads/file-worker-entry.ts",
  "src/sql/watchdog.ts",
];

const root = join(import.meta.dir, "..");
const assets = await packAssets(join(root, "dist", "assets"));
const build = await sourceHash();
const own = arch === "arm64" ? "arm64" : "x64";
await compile(own, "dist/quern");
if (Bun.argv.includes("--all")) {
  const other = own === "x64" ? "arm64" : "x64";
  await compile(other, `dist/quern-linux-${other}`, await bunFor(other));
}

async function compile(processor: "x64" | "arm64", outfile: string, bun?: string): Promise<void> {
  const started = performance.now();
  const define = { QUERN_VERSION: JSON.stringify(manifest.version), QUERN_BUILD: JSON.stringify(build) };
  const defines = Object.entries(define).map(([name, value]) => `--define=${name}=${value}`);
  // Files in the working directory of the program must not change its behaviour.
  const flags = [
    "--minify",
    "--bytecode",
    "--format=esm",
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    // Where the program looks for the assets of pages.
    "--asset-naming=[name].[ext]",
    // The program refers to its other entry points by their path below this root.
    "--root=src",
  ];
  const foreign = bun ? [`--target=bun-linux-${processor}`, `--compile-executable-path=${bun}`] : [];
  await $`${process.execPath} build --compile ${flags} ${defines} ${foreign} ${ENTRIES} ${assets} --outfile=${outfile}`
    .cwd(root)
    .quiet()
    .catch(fail);
  const { size } = Bun.file(join(root, outfile));
  console.log(
    `${outfile} (${processor}, ${(size / 1e6).toFixed(0)} MB, ${(performance.now() - started).toFixed(0)} ms)`,
  );
}

/** Compresses the assets of pages at build time into files to embed in the executable. Returns their paths. */
async function packAssets(folder: string): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  const paths: string[] = [];
  for (const { name, content } of await bundleAssets()) {
    const packed = { br: brotliCompressSync(content), gz: Bun.gzipSync(content, { level: 9 }) };
    for (const [coding, bytes] of Object.entries(packed)) {
      // Names have to differ before their last extension.
      const path = join(folder, `${name}.${coding}.packed`);
      await Bun.write(path, bytes);
      paths.push(path);
    }
  }
  return paths;
}

/** Returns a hash of the program's sources. */
async function sourceHash(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const files = [...new Bun.Glob("src/**/*").scanSync({ cwd: root, onlyFiles: true })].toSorted();
  for (const file of [...files, "package-lock.json"]) {
    hash.update(file).update(await Bun.file(join(root, file)).bytes());
  }
  return hash.digest("hex").slice(0, 16);
}

/** Returns the Bun runtime for another processor, in the version of this one; downloads it from the npm registry. */
async function bunFor(processor: "x64" | "arm64"): Promise<string> {
  const name = `@oven/bun-linux-${processor === "arm64" ? "aarch64" : "x64"}`;
  const folder = join(root, "node_modules", ".cache", "bun", processor);
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, "package.json"), JSON.stringify({ dependencies: { [name]: Bun.version } }));
  await $`${process.execPath} install --cpu=${processor} --os=linux --no-save`.cwd(folder).quiet().catch(fail);
  return join(folder, "node_modules", name, "bin", "bun");
}

function fail(error: unknown): never {
  console.error(error instanceof $.ShellError ? error.stderr.toString() : error);
  process.exit(1);
}
