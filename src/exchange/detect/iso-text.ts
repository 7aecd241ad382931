import { type DateText, readDate } from "./date-text.ts";

const ISO = /^\d{4}-\d\d-\d\d(?:$|[T ])/;

/** Reads dates in ISO form only, as programs write them; undefined for other texts. */
export const isoOnly = (text: string): DateText | undefined => (ISO.test(text) ? readDate(text) : undefined);
