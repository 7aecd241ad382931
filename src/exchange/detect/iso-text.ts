import { type DateText, parseDateCandidate } from "./date-text.ts";

const ISO = /^\d{4}-\d\d-\d\d(?:$|[T ])/;

/** Parses ISO dates only, the form that programs write; returns undefined for other texts. */
export const parseIsoDateText = (text: string): DateText | undefined =>
  ISO.test(text) ? parseDateCandidate(text) : undefined;
