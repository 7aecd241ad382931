import type { PlainTexts } from "../../texts/texts.ts";

const MAX_NAMED = 4;

export const joinTruncated = (t: PlainTexts, names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? joinWithAnd(t, names)
    : joinWithAnd(t, [...names.slice(0, MAX_NAMED - 1), t("history.others", { count: names.length - MAX_NAMED + 1 })]);

/** `a, b, and c` */
export const joinWithAnd = (t: PlainTexts, items: readonly string[]): string =>
  new Intl.ListFormat(t.locale, { type: "conjunction" }).format(items);
