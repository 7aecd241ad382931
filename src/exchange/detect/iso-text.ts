import { type DateText, parseDateCandidate } from "./date-text.ts";

const ISO = /^\d{4}-\d\d-\d\d(?:$|[T ])/;

/** Reads dates in ISO form only, as programs write them; undefined for other texts. */
export const parseIsoDateText = (text: string): DateText | undefined =>
  ISO.test(text) ? parseDateCandidate(text) : undefined;
