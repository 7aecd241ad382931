/** Reproducible tar archives: entries are sorted, belong to root, and have one modification time. */
import { packTar } from "modern-tar";

export interface TarFile {
  /** Without a leading slash. */
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

export interface TarFolder {
  readonly path: string;
  readonly mode: number;
  /** Owner and group. 0 by default. */
  readonly id?: number;
}

export interface TarLink {
  readonly path: string;
  readonly linkTo: string;
}

export type TarItem = TarFile | TarFolder | TarLink;

/** Returns a tar archive with the items and the folders that contain them. */
export async function packItems(items: readonly TarItem[], mtime: Date): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Map<string, TarItem>();
  for (const { path } of items) {
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) {
      const parent = path.slice(0, end);
      all.set(parent, { path: parent, mode: 0o755 });
    }
  }
  // After the parents, whose mode may be given.
  for (const item of items) all.set(item.path, item);
  const sorted = [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return packTar(
    sorted.map((item) => {
      const owner = { mtime, uid: 0, gid: 0, uname: "", gname: "" };
      if ("content" in item) {
        const { path, mode, content } = item;
        return { header: { ...owner, name: path, mode, size: content.byteLength, type: "file" }, body: content };
      }
      if ("linkTo" in item) {
        return { header: { ...owner, name: item.path, mode: 0o777, size: 0, type: "symlink", linkname: item.linkTo } };
      }
      const { path, mode, id = 0 } = item;
      return { header: { ...owner, name: `${path}/`, mode, size: 0, type: "directory", uid: id, gid: id } };
    }),
  );
}
