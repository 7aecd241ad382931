/**
 * The base of the container image: the files that the executable needs, from Debian packages. These are the C library,
 * and `/bin/sh`, which limits the memory of the processes that run queries. Certificate authorities and time zones are
 * part of the executable.
 */
import { $ } from "bun";
import { unpackTar } from "modern-tar";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TarItem } from "./tar.ts";

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
}

/** The user of the image; also in docs/deploy/Containerfile. */
export const IMAGE_USER = 10001;

const PACKAGES: Readonly<Record<string, RegExp>> = {
  "base-files": /^usr\/lib\/os-release$/,
  dash: /^bin\/(?:da)?sh$/,
  libc6: /^lib.*\/(?:ld-linux-[^/]+|lib(?:c|m|dl|pthread|rt|resolv|nss_dns|nss_files)\.so\.\d+)$/,
};

/**
 * Returns the files of the base, and the packages that they come from.
 * @param folder the Debian packages of one architecture
 * @throws Error if a package is missing
 */
export async function imageBase(folder: string): Promise<{ items: TarItem[]; packages: DebianPackage[] }> {
  const files = await readdir(folder);
  const items: TarItem[] = [...systemItems()];
  const packages: DebianPackage[] = [];
  for (const [name, wanted] of Object.entries(PACKAGES)) {
    const file = files.find((each) => each.startsWith(`${name}_`));
    if (!file) throw new Error(`${folder} has no package ${name}`);
    const path = join(folder, file);
    packages.push({ name, version: (await $`dpkg-deb --field ${path} Version`.text()).trim() });
    items.push(
      ...(await packageItems(path, (each) => wanted.test(each) || each === `usr/share/doc/${name}/copyright`)),
    );
  }
  return { items, packages };
}

async function packageItems(path: string, isWanted: (path: string) => boolean): Promise<TarItem[]> {
  const entries = await unpackTar(await $`dpkg-deb --fsys-tarfile ${path}`.quiet().arrayBuffer());
  return entries.flatMap(({ header, data }): TarItem[] => {
    const name = header.name.replace(/^\.\//, "");
    if (!isWanted(name)) return [];
    if (header.type === "symlink") return [{ path: name, linkTo: header.linkname ?? "" }];
    return data ? [{ path: name, mode: header.mode ?? 0o644, content: data }] : [];
  });
}

function systemItems(): TarItem[] {
  const text = (path: string, content: string): TarItem => ({
    path,
    mode: 0o644,
    content: new TextEncoder().encode(content),
  });
  return [
    text("etc/group", `root:x:0:\nquern:x:${IMAGE_USER}:\n`),
    text("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    text(
      "etc/passwd",
      `root:x:0:0:root:/:/bin/sh\nquern:x:${IMAGE_USER}:${IMAGE_USER}:Quern:/var/lib/quern:/usr/sbin/nologin\n`,
    ),
    { path: "etc/os-release", linkTo: "../usr/lib/os-release" },
    { path: "tmp", mode: 0o1777 },
    // A new volume takes over owner and mode of the folder.
    { path: "var/lib/quern", mode: 0o700, id: IMAGE_USER },
  ];
}
