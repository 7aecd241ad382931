/** Normalizes names for search: without case and accents, so that "résumé" is found by "Resume". */
export const normalizeForSearch = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(/\s+/g, " ").trim();

/** Returns true when every word of a search occurs in the text, both normalized by `searchable`. */
export const containsAllWords = (text: string, search: string): boolean =>
  search.split(" ").every((word) => text.includes(word));
