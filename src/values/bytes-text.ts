const SHOWN_BYTES = 1000;

/** Bytes as Python shows them, `b'\x00ab'`, cut after the first thousand. */
export function bytesText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes.subarray(0, SHOWN_BYTES)) {
    const plain = byte >= 32 && byte < 127 && byte !== 39 && byte !== 92;
    text += plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  return `b'${text}${bytes.length > SHOWN_BYTES ? "…" : ""}'`;
}
