/** The changes that shim.c recorded, in order. */

export type Change = {
  /** Sequence number of the change. */
  readonly number: number;
  /** End of its record in the log: a log of this length contains the change. */
  readonly end: number;
} & (
  | { readonly kind: "write"; readonly inode: number; readonly offset: number; readonly data: Uint8Array }
  | { readonly kind: "resize"; readonly inode: number; readonly size: number }
  /** All changes to the file or folder with a number below `before` are on disk. */
  | { readonly kind: "sync"; readonly inode: number; readonly before: number }
  | { readonly kind: "create" | "mkdir"; readonly path: string; readonly inode: number }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string }
  | { readonly kind: "unlink" | "rmdir"; readonly path: string }
);

const KINDS = ["write", "resize", "sync", "create", "mkdir", "rename", "unlink", "rmdir", "link"] as const;
const HEAD = 48;

/**
 * Parses all changes of a log. A truncated record at the end, due to the kill, is ignored.
 * @throws Error for any other malformed record
 */
export function readChanges(log: Uint8Array): Change[] {
  const changes: Change[] = [];
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const decoder = new TextDecoder();
  for (let at = 0; at + HEAD <= log.length;) {
    const u32 = (offset: number) => view.getUint32(at + offset, true);
    const u64 = (offset: number) => Number(view.getBigUint64(at + offset, true));
    const end = at + u32(0);
    const kind = KINDS[u32(4) - 1];
    const toAt = at + HEAD + u32(8);
    const dataAt = toAt + u32(12);
    if (kind === undefined || dataAt + u64(40) !== end) throw new Error(`the log is malformed at byte ${at}`);
    if (end > log.length) break;
    const [number, inode, offset] = [u64(16), u64(24), u64(32)];
    const path = decoder.decode(log.subarray(at + HEAD, toAt));
    const to = decoder.decode(log.subarray(toAt, dataAt));
    const base = { number, end };
    at = end;
    switch (kind) {
      case "write":
        changes.push({ ...base, kind, inode, offset, data: log.subarray(dataAt, end) });
        break;
      case "resize":
        changes.push({ ...base, kind, inode, size: offset });
        break;
      case "sync":
        changes.push({ ...base, kind, inode, before: offset });
        break;
      case "create":
      case "mkdir":
        changes.push({ ...base, kind, path, inode });
        break;
      case "rename":
      case "link":
        changes.push({ ...base, kind, path, to });
        break;
      case "unlink":
      case "rmdir":
        changes.push({ ...base, kind, path });
        break;
    }
  }
  return changes;
}
