/** Creates and tests the Debian packages and the container images. */
import { $ } from "bun";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { createDeb } from "./deb.ts";
import { imageBase, IMAGE_USER, type DebianPackage } from "./oci-base.ts";
import { createImage } from "./oci.ts";
import type { Artefact } from "./report.ts";
import { debianSystem, packagesOf, type Architecture } from "./smoke/debian-system.ts";
import { testDeb } from "./smoke/deb.ts";
import { testImage } from "./smoke/image.ts";

export interface PackagesInput {
  readonly root: string;
  readonly version: string;
  readonly notices: string;
  readonly time: Date;
  readonly out: string;
  /** A folder for temporary files. */
  readonly work: string;
  /** Returns the path of a target's executable. */
  executable(target: string): string;
  /** Reports progress. */
  log(line: string): void;
}

const ARCHITECTURES = { amd64: "linux-x64", arm64: "linux-arm64" } as const;
/** Lower than any release. */
const OLDER_VERSION = "0.0.1";

export interface Packages {
  readonly artefacts: readonly Artefact[];
  /** What the images contain besides the executable. */
  readonly imagePackages: readonly DebianPackage[];
}

export async function createPackages(input: PackagesInput): Promise<Packages> {
  const artefacts: Artefact[] = [];
  let imagePackages: readonly DebianPackage[] = [];
  for (const architecture of Object.keys(ARCHITECTURES) as Architecture[]) {
    artefacts.push(await debianPackage(input, architecture));
    const image = await containerImage(input, architecture);
    artefacts.push(image.artefact);
    imagePackages = image.packages;
  }
  return { artefacts, imagePackages };
}

async function debianPackage(input: PackagesInput, architecture: Architecture): Promise<Artefact> {
  const common = { ...input, architecture, executable: input.executable(ARCHITECTURES[architecture]) };
  const path = await createDeb(common);
  const lintian = await $`lintian --allow-root --fail-on error ${path}`.nothrow().quiet();
  input.log(`${basename(path)}, lintian: ${lintian.stdout.toString().trim() || "no errors, no warnings"}`);
  if (lintian.exitCode !== 0) throw new Error(`lintian: ${lintian.stderr.toString()}`);
  const folder = await emptyFolder(input.work, `deb-${architecture}`);
  const older = await createDeb({ ...common, version: OLDER_VERSION, out: folder, compression: "none" });
  await testDeb({ architecture, deb: path, older, version: input.version, folder });
  input.log(`tested ${basename(path)}`);
  return { path, result: `run${emulated(architecture)}: installed, upgraded, removed, purged; lintian without errors` };
}

async function containerImage(input: PackagesInput, architecture: Architecture) {
  const { root, version, notices, time, out } = input;
  const base = await imageBase(packagesOf(await debianSystem(architecture)));
  const text = (path: string, content: string) => ({ path, mode: 0o644, content: new TextEncoder().encode(content) });
  const executable = await Bun.file(input.executable(ARCHITECTURES[architecture])).bytes();
  const image = await createImage({
    architecture,
    tag: `quern:${version}`,
    time,
    user: `${IMAGE_USER}:${IMAGE_USER}`,
    environment: ["QUERN_DATA=/var/lib/quern", "QUERN_HOST=0.0.0.0", "QUERN_PORT=8080"],
    labels: {
      "org.opencontainers.image.title": "Quern",
      "org.opencontainers.image.description": "A document-database server in one executable",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.created": time.toISOString(),
      "org.opencontainers.image.base.name": base.packages.map((each) => `${each.name}=${each.version}`).join(" "),
    },
    layers: [
      { createdBy: "Debian packages", items: base.items },
      {
        createdBy: `quern ${version}`,
        items: [
          { path: "usr/bin/quern", mode: 0o755, content: executable },
          text("usr/share/doc/quern/LICENSE", await Bun.file(join(root, "LICENSE")).text()),
          text("usr/share/doc/quern/THIRD-PARTY-NOTICES.txt", notices),
        ],
      },
    ],
  });
  const path = join(out, `quern-${version}-oci-${architecture}.tar`);
  await Bun.write(path, image);
  await testImage(path, await emptyFolder(input.work, `oci-${architecture}`));
  input.log(`tested ${basename(path)}`);
  const result = `run${emulated(architecture)}: read-only, as user ${IMAGE_USER}, with its health check`;
  return { artefact: { path, result }, packages: base.packages };
}

async function emptyFolder(parent: string, name: string): Promise<string> {
  const path = join(parent, name);
  await mkdir(path);
  return path;
}

const emulated = (architecture: Architecture): string =>
  (architecture === "arm64") === (process.arch === "arm64") ? "" : " under qemu";
