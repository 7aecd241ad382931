/** The notices of third-party software in the executable. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** A package whose code can be part of the executable. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** Relative to the project: `node_modules/hono`. */
  readonly folder: string;
}

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

const LICENSE_FILE = /^(?:.*-)?(?:licen[cs]e|copying|notice)(?:\..*)?$/i;
const TEXTS = join(import.meta.dir, "notices");

/** Returns the packages that `dependencies` of package.json need, by name. */
export async function bundledPackages(root: string): Promise<BundledPackage[]> {
  const lock = (await Bun.file(join(root, "package-lock.json")).json()) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional }]) => folder !== "" && !dev && !devOptional)
    .map(([folder, { version, license = "UNKNOWN" }]) => {
      return { name: folder.slice(folder.lastIndexOf("node_modules/") + 13), version, license, folder };
    })
    .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

/**
 * Returns the text of all notices.
 * @throws Error if a package has neither a license file nor a license whose text is known
 */
export async function thirdPartyNotices(root: string): Promise<string> {
  const parts = ["Third-party software in Quern", await bunNotice()];
  for (const each of await bundledPackages(root)) {
    parts.push(`${each.name} ${each.version} (${each.license})`, await licenseText(root, each));
  }
  return `${parts.map((part) => part.trim()).join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

async function bunNotice(): Promise<string> {
  const about = await Bun.file(join(TEXTS, "bun.md")).text();
  return `Bun ${Bun.version}\n\n${about.trim()}\n\n${await Bun.file(join(TEXTS, "mit.txt")).text()}`;
}

async function licenseText(root: string, { name, license, folder }: BundledPackage): Promise<string> {
  const files = (await readdir(join(root, folder))).filter((file) => LICENSE_FILE.test(file)).toSorted();
  if (files.length > 0) {
    const texts = await Promise.all(files.map(async (file) => Bun.file(join(root, folder, file)).text()));
    return texts.map((text) => text.replaceAll("\r\n", "\n").trim()).join("\n\n");
  }
  // Quern's own license: its text is in the same archive.
  if (license === "Apache-2.0")
    return `Copyright ${await authorOf(join(root, folder))}\n\nThe file LICENSE has the text.`;
  const standard = Bun.file(join(TEXTS, `${license.toLowerCase()}.txt`));
  if (!(await standard.exists())) throw new Error(`${name} has no license file, and the text of ${license} is unknown`);
  return `Copyright ${await authorOf(join(root, folder))}\n\n${await standard.text()}`;
}

async function authorOf(folder: string): Promise<string> {
  const { author } = (await Bun.file(join(folder, "package.json")).json()) as { author?: string | { name: string } };
  return (typeof author === "string" ? author : author?.name) ?? "the authors";
}
