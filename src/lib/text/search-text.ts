/** Names as they are searched: without case and accents, so that "résumé" is found by "Resume". */
export const normalizeForSearch = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(/\s+/g, " ").trim();

/** True when every word of a search, of what `searchable` gives, occurs in a text of the same kind. */
export const containsAllWords = (text: string, search: string): boolean =>
  search.split(" ").every((word) => text.includes(word));
