/** The records that a process writes for its commits, and that survive when it is killed. */
import type { LoggedCommit } from "../../src/sqlite/wal/commit-log.ts";

export function encodeRecord({ count, bytes }: LoggedCommit): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify({ count, bytes: bytes?.length ?? null }));
  const record = new Uint8Array(4 + head.length + (bytes?.length ?? 0));
  new DataView(record.buffer).setUint32(0, head.length);
  record.set(head, 4);
  if (bytes) record.set(bytes, 4 + head.length);
  return record;
}

/** Returns the complete records at the beginning of the bytes; the last one may be incomplete. */
export function decodeRecords(bytes: Uint8Array<ArrayBuffer>): LoggedCommit[] {
  const commits: LoggedCommit[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 4 <= bytes.length;) {
    const start = at + 4 + view.getUint32(at);
    if (start > bytes.length) break;
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(at + 4, start))) as {
      count: LoggedCommit["count"];
      bytes: number | null;
    };
    at = start + (head.bytes ?? 0);
    if (at > bytes.length) break;
    commits.push({ count: head.count, bytes: head.bytes === null ? null : bytes.slice(start, at) });
  }
  return commits;
}
