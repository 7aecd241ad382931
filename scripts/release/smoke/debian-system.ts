/** Minimal Debian systems for tests of packages, and the source of the container image's base. */
import { $ } from "bun";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { runInRoot } from "./root-folder.ts";

export type Architecture = "amd64" | "arm64";

const SUITE = "bookworm";
const MIRROR = "http://deb.debian.org/debian";
/** Systems are kept here. Remove the folder to get the current packages of Debian. */
const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "quern-release");

/** Returns the folder of a minimal system; creates it with debootstrap the first time. Do not change its contents. */
export async function debianSystem(architecture: Architecture): Promise<string> {
  const path = join(CACHE, `${SUITE}-${architecture}`);
  if (existsSync(path)) return path;
  const packages = join(CACHE, "packages");
  const incomplete = `${path}.incomplete`;
  await rm(incomplete, { recursive: true, force: true });
  await mkdir(packages, { recursive: true });
  const options = [`--arch=${architecture}`, "--variant=minbase", `--cache-dir=${packages}`];
  // In namespaces, for the emulator. They do not permit creating devices; "lxc" makes debootstrap accept that.
  const env = { container: "lxc", ...(process.env["http_proxy"] && { http_proxy: process.env["http_proxy"] }) };
  await runInRoot({ path: "/", env }, ["debootstrap", ...options, SUITE, incomplete, MIRROR]);
  await rename(incomplete, path);
  return path;
}

/** Returns the folder of the system's Debian packages. */
export const packagesOf = (system: string): string => join(system, "var/cache/apt/archives");

/** Copies a minimal system into a new folder. */
export async function copySystem(architecture: Architecture, folder: string): Promise<void> {
  await $`cp --archive --reflink=auto ${await debianSystem(architecture)} ${folder}`.quiet();
}
