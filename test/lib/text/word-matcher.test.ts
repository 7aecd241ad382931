import { expect, test } from "bun:test";
import { fold, foldedPlace, matchWord } from "../../../src/lib/text/word-matcher.ts";

test.each<[text: string, folded: string]>([
  ["Plain TEXT", "plain text"],
  ["Résumé", "resume"],
  ["Re\u0301sume\u0301", "resume"],
  ["Ångström ÉCLAIR", "angstrom eclair"],
  ["Ødegård", "ødegard"],
  ["İstanbul", "istanbul"],
  ["Straße", "straße"],
  ["ΆΝΝΑ", "αννα"],
  ["Ёлка", "елка"],
  // Marks that are no accents.
  ["की", "की"],
  ["각", "각"],
  ["ガ", "ガ"],
  ["שָׁלוֹם", "שָׁלוֹם"],
])("%j is found as %j", (text, folded) => {
  expect(fold(text)).toBe(folded.normalize("NFC"));
});

test.each<[text: string, word: string, at: number]>([
  ["a lamp", "lamp", 2],
  ["é lamp", "lamp", 2],
  ["e\u0301e\u0301 lamp", "lamp", 5],
  ["re\u0301sume\u0301", "sum", 3],
])("in %j the word %j is at %d", (text, word, at) => {
  expect(foldedPlace(text, matchWord(fold(text), word)?.at ?? -1)).toBe(at);
});
