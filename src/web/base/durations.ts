import type { PlainTexts } from "../texts/texts.ts";

/** Formats a duration: milliseconds below a second, else seconds with one decimal. */
export const formatDuration = (t: PlainTexts, ms: number): string =>
  ms < 1000
    ? t("base.duration.ms", { ms: Math.round(ms) })
    : t("base.duration.s", {
        seconds: new Intl.NumberFormat(t.locale, { maximumFractionDigits: 1 }).format(ms / 1000),
      });
