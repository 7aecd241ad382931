import { scaleBytes } from "../../lib/text/formatting.ts";
import type { PlainTexts } from "../texts/texts.ts";

const UNITS = { KB: "base.size.KB", MB: "base.size.MB", GB: "base.size.GB", TB: "base.size.TB" } as const;

/** `1536` → "1.5 KB". */
export function formatSize(t: PlainTexts, bytes: number): string {
  const { amount, unit } = scaleBytes(bytes);
  if (unit === "bytes") return t("base.size.bytes", { count: bytes });
  return t(UNITS[unit], { amount: amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount) });
}
