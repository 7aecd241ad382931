import type { OpenDocument } from "../../../src/doc/document.ts";
import { visibilityFor } from "../../../src/doc/read/visibility-filter.ts";
import { searchChunks } from "../../../src/doc/search/search-rows.ts";
import type { Random } from "../../helpers/random.ts";
import { grantOf } from "../read/sample.ts";

/** Words in the texts of random tables, and parts of them. */
const WORDS = [
  "lamp",
  "desk",
  "LAMP",
  "ngs",
  "ström",
  '"quo',
  "😁😂",
  "😀😁😂",
  "οδος",
  "amber",
  "gree",
  "red",
  "zoo",
  "a",
  "b",
  "strom",
  "1",
  "12",
  "2.5",
  "1970-01-02",
];

export const randomSearch = (random: Random): string =>
  random.oneIn(4) ? `${random.pick(WORDS)} ${random.pick(WORDS)}` : random.pick(WORDS);

/** Returns the answer to a search. */
export const search = (document: OpenDocument, query: string): string =>
  [...searchChunks(visibilityFor(document, grantOf("sample")), { db: document.db }, { query, limit: 5 })].join("");
