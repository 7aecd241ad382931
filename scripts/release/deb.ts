/** The Debian package. */
import { $ } from "bun";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { manualPage } from "./manual-page.ts";

export interface DebInput {
  readonly root: string;
  readonly architecture: "amd64" | "arm64";
  readonly version: string;
  readonly executable: string;
  readonly notices: string;
  readonly time: Date;
  /** The folder for the package. */
  readonly out: string;
  /** "none" is for tests. */
  readonly compression?: "xz" | "none";
}

interface PackageFile {
  readonly path: string;
  readonly mode?: number;
  readonly content: string | Uint8Array | Bun.BunFile;
}

const MAINTAINER = "Quern <packages@quern.example>";
const DEBIAN = join(import.meta.dir, "debian");
const COPYRIGHT = [
  "Copyright 2026 the Quern authors",
  "License: Apache-2.0. On Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.",
  "",
  "The executable contains other software: THIRD-PARTY-NOTICES.txt.gz has its licenses.",
  "",
].join("\n");

/** Creates the package and returns its path. The same input results in the same bytes. */
export async function createDeb(input: DebInput): Promise<string> {
  const stage = await mkdtemp(join(tmpdir(), "quern-deb-"));
  try {
    const files = await packageFiles(input);
    for (const { path, mode = 0o644, content } of files) {
      await mkdir(dirname(join(stage, path)), { recursive: true, mode: 0o755 });
      await Bun.write(join(stage, path), content);
      await chmod(join(stage, path), mode);
    }
    await addControlFiles(stage, input, files);
    const path = join(input.out, `quern_${debianVersion(input.version)}_${input.architecture}.deb`);
    // One thread: the output of xz depends on whether there are several.
    await $`dpkg-deb --root-owner-group --threads-max=1 -Z${input.compression ?? "xz"} --build ${stage} ${path}`
      .env({ ...process.env, SOURCE_DATE_EPOCH: String(input.time.getTime() / 1000) })
      .quiet();
    return path;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Returns a semantic version as Debian sorts it: `1.0.0-rc.1` is older than `1.0.0`. */
export const debianVersion = (version: string): string => version.replace("-", "~");

async function packageFiles({ root, executable, version, notices, time }: DebInput): Promise<PackageFile[]> {
  const text = async (path: string) => Bun.file(join(root, path)).text();
  const packed = (content: string) => Bun.gzipSync(Buffer.from(content), { level: 9, library: "zlib" });
  const unit = await text("docs/deploy/quern.service");
  const doc = "usr/share/doc/quern";
  return [
    { path: "usr/bin/quern", mode: 0o755, content: Bun.file(executable) },
    { path: "usr/lib/systemd/system/quern.service", content: unit.replace("/usr/local/bin/quern", "/usr/bin/quern") },
    { path: "etc/quern/quern.env", content: await text("docs/deploy/quern.env") },
    { path: "usr/share/man/man1/quern.1.gz", content: packed(manualPage(version, time)) },
    { path: "usr/share/lintian/overrides/quern", content: await Bun.file(join(DEBIAN, "lintian-overrides")).text() },
    { path: `${doc}/copyright`, content: COPYRIGHT },
    { path: `${doc}/THIRD-PARTY-NOTICES.txt.gz`, content: packed(notices) },
    { path: `${doc}/changelog.gz`, content: packed(debianChangelog(version, time)) },
    { path: `${doc}/CHANGELOG.md.gz`, content: packed(await text("CHANGELOG.md")) },
    { path: `${doc}/README.md.gz`, content: packed(await text("README.md")) },
  ];
}

async function addControlFiles(stage: string, input: DebInput, files: readonly PackageFile[]): Promise<void> {
  const control = join(stage, "DEBIAN");
  await mkdir(control, { mode: 0o755 });
  let bytes = 0;
  const sums: string[] = [];
  for (const { path } of files) {
    const content = await Bun.file(join(stage, path)).bytes();
    bytes += content.byteLength;
    sums.push(`${new Bun.CryptoHasher("md5").update(content).digest("hex")}  ${path}\n`);
  }
  await Bun.write(join(control, "control"), controlFile(input, Math.ceil(bytes / 1024)));
  await Bun.write(join(control, "md5sums"), sums.join(""));
  await Bun.write(join(control, "conffiles"), "/etc/quern/quern.env\n");
  for (const script of ["postinst", "prerm", "postrm"]) {
    await Bun.write(join(control, script), Bun.file(join(DEBIAN, script)));
    await chmod(join(control, script), 0o755);
  }
  await chmod(stage, 0o755);
}

function controlFile({ version, architecture }: DebInput, sizeKib: number): string {
  return [
    "Package: quern",
    `Version: ${debianVersion(version)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${sizeKib}`,
    "Depends: adduser, libc6 (>= 2.17)",
    "Section: database",
    "Priority: optional",
    "Description: document-database server in one executable",
    " Quern stores documents, which are spreadsheet-like databases with tables, typed",
    " columns, formulas and access rules, and serves them through a REST API and in",
    " the browser.",
    " .",
    " This package contains the server, a hardened systemd service, and the command",
    " line for administrators.",
    "",
  ].join("\n");
}

function debianChangelog(version: string, time: Date): string {
  const date = time.toUTCString().replace("GMT", "+0000");
  return `quern (${debianVersion(version)}) unstable; urgency=medium\n\n  * Release ${version}: see CHANGELOG.md.gz.\n\n -- ${MAINTAINER}  ${date}\n`;
}
