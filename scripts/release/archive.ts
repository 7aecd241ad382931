/** The archive of one system: the executable, and what an administrator needs to run it. */
import { join } from "node:path";
import { packItems, type TarItem } from "./tar.ts";
import type { Target } from "./targets.ts";

export interface ArchiveInput {
  readonly root: string;
  readonly target: Target;
  readonly version: string;
  readonly executable: string;
  readonly notices: string;
  readonly time: Date;
}

/** `quern-0.2.0-linux-x64`: the folder in the archive, and the archive's name without `.tar.zst`. */
export const archiveName = (version: string, target: Target): string => `quern-${version}-${target.name}`;

/** Returns the archive without compression. The same input results in the same bytes. */
export async function createArchive({ root, target, version, executable, notices, time }: ArchiveInput) {
  const folder = archiveName(version, target);
  const item = async (name: string, file: Bun.BunFile, mode = 0o644): Promise<TarItem> => {
    return { path: `${folder}/${name}`, mode, content: await file.bytes() };
  };
  const source = (path: string): Bun.BunFile => Bun.file(join(root, path));
  const items = [
    await item("quern", Bun.file(executable), 0o755),
    await item("LICENSE", source("LICENSE")),
    await item("README.md", source("README.md")),
    await item("CHANGELOG.md", source("CHANGELOG.md")),
    { path: `${folder}/THIRD-PARTY-NOTICES.txt`, mode: 0o644, content: new TextEncoder().encode(notices) },
  ];
  if (target.os === "linux") {
    items.push(await item("quern.service", source("docs/deploy/quern.service")));
    items.push(await item("quern.env", source("docs/deploy/quern.env")));
  }
  return packItems(items, time);
}

/** Compresses with one thread, as the output depends on it; takes a minute and a half for 150 MB at level 19. */
export async function compress(archive: Uint8Array<ArrayBuffer>, level: number): Promise<Uint8Array> {
  return Bun.zstdCompress(archive, { level });
}
