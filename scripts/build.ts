/**
 * Builds the executable: `bun scripts/build.ts` creates dist/quern for this machine's processor, `--all` also the one
 * for the other processor (dist/quern-linux-arm64 when built on x64). `--release DIR` creates DIR/<target>/quern for
 * every target of a release instead. `--as VERSION FILE` creates only FILE, which says that it has this version: for tests of
 * upgrades, which need a former one.
 */
import { $ } from "bun";
import { arch } from "node:process";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import manifest from "../package.json";
import { bundleAssets } from "../src/web/bundle.ts";
import { packedPackages } from "./packed-packages.ts";
import { reducedPackages } from "./reduced-packages.ts";
import { TARGETS, targetNamed, type Target } from "./release/targets.ts";

/** The program, then the entry points of its worker threads and child processes. */
const ENTRIES = [
  "src/main.ts",
  "src/hosts/threads/document-worker-entry.ts",
  "src/hosts/threads/file-worker-entry.ts",
  "src/sql/watchdog.ts",
];

/** A Raspberry Pi has to download, store and start this. The Bun runtime alone has 109 MB. */
const MAX_EXECUTABLE_BYTES = 135e6;

interface PackageLock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

const root = join(import.meta.dir, "..");
const assets = await packAssets(join(root, "dist", "assets"));
const build = await sourceHash();
const releaseFolder = Bun.argv[2] === "--release" ? Bun.argv[3] : undefined;
const [, , mode, otherVersion, otherFile] = Bun.argv;
const version = mode === "--as" && otherVersion !== undefined ? otherVersion : manifest.version;
if (mode === "--as") {
  await compile(otherFile ?? fail("--as needs VERSION and FILE"));
} else if (releaseFolder) {
  for (const target of TARGETS) {
    await compile(join(releaseFolder, target.name, "quern"), { target, bun: await bunFor(target) });
  }
} else {
  await compile("dist/quern");
  if (Bun.argv.includes("--all")) {
    const target = targetNamed(`linux-${arch === "arm64" ? "x64" : "arm64"}`);
    await compile(`dist/quern-${target.name}`, { target, bun: await bunFor(target) });
  }
}

async function compile(outfile: string, foreign?: { readonly target: Target; readonly bun: string }): Promise<void> {
  const started = performance.now();
  await Bun.build({
    entrypoints: [...ENTRIES.map((path) => join(root, path)), ...assets],
    // The program refers to its other entry points by their path below this root.
    root: join(root, "src"),
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    // The entry points share modules instead of containing a copy each, and optional parts load on first use.
    splitting: true,
    define: { QUERN_VERSION: JSON.stringify(version), QUERN_BUILD: JSON.stringify(build) },
    // Where the program looks for the assets of pages.
    naming: { asset: "[name].[ext]" },
    plugins: [packedPackages(join(root, "dist", "packed")), reducedPackages(join(root, "dist", "packages"))],
    compile: {
      outfile: resolve(root, outfile),
      // Files in the working directory of the program must not change its behaviour.
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(foreign && { target: `bun-${foreign.target.name}`, executablePath: foreign.bun }),
    },
  }).catch(fail);
  const { size } = Bun.file(resolve(root, outfile));
  const target = foreign?.target.name ?? arch;
  console.log(`${outfile} (${target}, ${(size / 1e6).toFixed(1)} MB, ${(performance.now() - started).toFixed(0)} ms)`);
  if (size > MAX_EXECUTABLE_BYTES) {
    fail(`${outfile} is larger than ${MAX_EXECUTABLE_BYTES / 1e6} MB: bun build --metafile-md shows the modules`);
  }
}

/** Compresses the assets of pages at build time into files to embed in the executable. Returns their paths. */
async function packAssets(folder: string): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  const paths: string[] = [];
  for (const { name, content } of await bundleAssets()) {
    const path = join(folder, `${name}.br.packed`);
    await Bun.write(path, brotliCompressSync(content));
    paths.push(path);
  }
  return paths;
}

/** Returns a hash of the program's sources, and of the documentation that it contains. */
async function sourceHash(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const files = [...new Bun.Glob("{src,docs}/**/*").scanSync({ cwd: root, onlyFiles: true })].toSorted();
  for (const file of [...files, "package-lock.json"]) {
    hash.update(file).update(await Bun.file(join(root, file)).bytes());
  }
  return hash.digest("hex").slice(0, 16);
}

/**
 * Returns the Bun runtime of a target, in the version of this one; downloads it from the npm registry.
 * @throws Error if it is not the package that package-lock.json lists
 */
async function bunFor({ runtime, os, cpu }: Target): Promise<string> {
  const folder = join(root, "node_modules", ".cache", "bun", runtime);
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, "package.json"), JSON.stringify({ dependencies: { [runtime]: Bun.version } }));
  await $`${process.execPath} install --cpu=${cpu} --os=${os}`.cwd(folder).quiet().catch(fail);
  const lock = (await Bun.file(join(root, "package-lock.json")).json()) as PackageLock;
  const integrity = lock.packages[`node_modules/${runtime}`]?.integrity;
  if (!integrity || !(await Bun.file(join(folder, "bun.lock")).text()).includes(`"${integrity}"`)) {
    throw new Error(`${runtime} differs from the package in package-lock.json`);
  }
  return join(folder, "node_modules", runtime, "bin", "bun");
}

function fail(error: unknown): never {
  console.error(error instanceof $.ShellError ? error.stderr.toString() : error);
  process.exit(1);
}
