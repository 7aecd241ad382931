import { expect, test } from "bun:test";
import { formatBytes } from "../../../src/lib/text/formatting.ts";

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1.0 KB"],
  [1536, "1.5 KB"],
  [9949, "9.9 KB"],
  [12_345, "12 KB"],
  [168_000, "168 KB"],
  [1_000_000, "1.0 MB"],
  [2_500_000_000, "2.5 GB"],
  [7_000_000_000_000_000, "7000 TB"],
])("%d bytes read as %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
