const MAX_SHOWN_BYTES = 1000;

/** Returns bytes in Python's notation, `b'\x00ab'`, truncated after 1,000 bytes. */
export function bytesRepr(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes.subarray(0, MAX_SHOWN_BYTES)) {
    const plain = byte >= 32 && byte < 127 && byte !== 39 && byte !== 92;
    text += plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  return `b'${text}${bytes.length > MAX_SHOWN_BYTES ? "…" : ""}'`;
}
