/**
 * Builds and tests a release: `bun scripts/release/main.ts --out DIR`, as root on Debian. `--quick` only packs dist/quern
 * for this processor, and tests the archive and install.sh; it needs neither root nor a commit.
 */
import { $ } from "bun";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../../package.json";
import { archiveName, compress, createArchive } from "./archive.ts";
import { buildClone, differences, executableOf } from "./builds.ts";
import { installScript } from "./install-script.ts";
import { thirdPartyNotices } from "./notices.ts";
import { createPackages } from "./packages.ts";
import { artefactTable, checksumFile, releaseNotes, type Artefact } from "./report.ts";
import { createSbom, validateSbom } from "./sbom.ts";
import { testArchive } from "./smoke/archive.ts";
import { testInstallScript } from "./smoke/install-script.ts";
import { RELEASE_URL, TARGETS, targetNamed, type Target } from "./targets.ts";

/** Acceptance limits. */
const MAX_ARCHIVE_BYTES = 50_000_000;
const MAX_FIRST_RECORD_S = 30;
const PROGRAMS = ["debootstrap", "dpkg-deb", "lintian", "umoci", "shellcheck", "qemu-aarch64-static", "npm", "unshare"];

const project = join(import.meta.dir, "../..");
const { values } = parseArgs({ options: { out: { type: "string" }, quick: { type: "boolean", default: false } } });
const { quick } = values;
const out = resolve(values.out ?? join(project, "dist/release"));
const { version } = manifest;
const work = await mkdtemp(join(tmpdir(), "quern-release-"));
const remarks: string[] = [];
const artefacts: Artefact[] = [];

try {
  await requirePrograms(quick ? ["zstd", "curl"] : [...PROGRAMS, "zstd", "curl"]);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { root, executables } = quick ? await buildQuickly() : await buildTwice();
  const time = await commitTime(root);
  const notices = await thirdPartyNotices(root);
  const common = { root, version, notices, time, out };

  // Two at a time: each takes a core, and several hundred megabytes.
  const targets = [...executables.keys()];
  while (targets.length > 0) await Promise.all(targets.splice(0, 2).map(async (target) => pack(target)));
  for (const target of executables.keys()) {
    const path = archivePath(target);
    artefacts.push({ path, result: await tryArchive(path, target) });
  }

  if (!quick) {
    const packages = await createPackages({ ...common, work, log, executable: (name) => executableOf({ root }, name) });
    artefacts.push(...packages.artefacts);
    const bom = await createSbom({ root, time, imagePackages: packages.imagePackages });
    await validateSbom(bom);
    await add(`quern-${version}.cdx.json`, JSON.stringify(bom, null, 2), "validated against the schema");
    await add("compose.yaml", Bun.file(join(root, "docs/deploy/compose.yaml")), "parsed by the tests; not run");
    await $`shellcheck ${join(root, "scripts/release/install.sh")}`;
  }
  await addInstallScript(root);

  async function pack(target: Target): Promise<void> {
    const archive = await createArchive({ ...common, target, executable: executables.get(target) ?? "" });
    const path = archivePath(target);
    await Bun.write(path, await compress(archive, quick ? 3 : 19));
    const { size } = Bun.file(path);
    if (!quick && size > MAX_ARCHIVE_BYTES)
      throw new Error(`${path} has ${size} bytes, more than ${MAX_ARCHIVE_BYTES}`);
    log(`packed ${path} (${(size / 1e6).toFixed(1)} MB)`);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
console.log(`\n${await artefactTable(artefacts)}\n\n${remarks.map((remark) => `- ${remark}`).join("\n")}`);

function archivePath(target: Target): string {
  return join(out, `${archiveName(version, target)}.tar.zst`);
}

async function buildQuickly() {
  const target = targetNamed(`linux-${process.arch}`);
  return { root: project, executables: new Map([[target, join(project, "dist/quern")]]) };
}

/** Builds in two folders with names of different lengths, and compares the results. */
async function buildTwice() {
  const changes = (await $`git status --porcelain`.cwd(project).text()).trim();
  if (changes !== "") throw new Error(`Commit these changes first:\n${changes}`);
  const first = await buildClone(project, join(work, "a"));
  log("built once");
  const second = await buildClone(project, join(work, "another-folder", "with", "a-longer-name"));
  const found = await differences(first, second);
  remarks.push(
    found.length === 0
      ? `Reproducible: two builds of each executable in different folders have equal checksums.`
      : `Not reproducible: ${found.join("; ")}`,
  );
  log(remarks.at(-1) ?? "");
  return {
    root: first.root,
    executables: new Map(TARGETS.map((target) => [target, executableOf(first, target.name)])),
  };
}

/** Runs archives for glibc, as the other systems are not at hand. Returns the result. */
async function tryArchive(path: string, target: Target): Promise<string> {
  if (target.os !== "linux" || target.name.endsWith("musl")) return "built; not run";
  const folder = join(work, `archive-${target.name}`);
  await mkdir(folder);
  const seconds = await testArchive(path, target, folder);
  const isEmulated = target.cpu !== process.arch;
  if (seconds > MAX_FIRST_RECORD_S && !isEmulated) {
    throw new Error(`${target.name}: the first record took ${seconds.toFixed(1)} s`);
  }
  log(`${target.name}: first record after ${seconds.toFixed(1)} s`);
  const emulated = isEmulated ? " under qemu" : "";
  return `run${emulated}: from archive to first record in ${seconds.toFixed(1)} s`;
}

/** Adds install.sh, the checksums and the release notes, and tests install.sh with them. */
async function addInstallScript(root: string): Promise<void> {
  await Bun.write(join(out, "install.sh"), await installScript({ version, from: RELEASE_URL }));
  const paths = [...artefacts.map(({ path }) => path), join(out, "install.sh")];
  await Bun.write(join(out, "SHA256SUMS"), await checksumFile(paths));
  const folder = join(work, "install-script");
  await mkdir(folder);
  await testInstallScript(out, folder);
  artefacts.push({ path: join(out, "install.sh"), result: "run: installs, and refuses a damaged archive" });
  const changelog = await Bun.file(join(root, "CHANGELOG.md")).text();
  await Bun.write(join(out, "RELEASE-NOTES.md"), await releaseNotes({ version, artefacts, remarks, changelog }));
}

async function add(name: string, content: string | Bun.BunFile, result: string): Promise<void> {
  const path = join(out, name);
  await Bun.write(path, content);
  artefacts.push({ path, result });
}

/** Returns SOURCE_DATE_EPOCH if it is set, else the time of the commit: all files in a release have it. */
async function commitTime(root: string): Promise<Date> {
  const seconds = process.env["SOURCE_DATE_EPOCH"] ?? (await $`git log -1 --format=%ct`.cwd(root).text()).trim();
  return new Date(Number(seconds) * 1000);
}

async function requirePrograms(names: readonly string[]): Promise<void> {
  const missing = names.filter((name) => Bun.which(name) === null);
  if (missing.length > 0) throw new Error(`Not installed: ${missing.join(", ")}. CONTRIBUTING.md lists the packages.`);
  if (!quick && process.getuid?.() !== 0) throw new Error("Root is required to test packages in a chroot");
}

function log(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
}
