import { describe, expect, test } from "bun:test";
import { containsAllWords, normalizeForSearch } from "../../../src/lib/text/search-text.ts";

describe("matches names", () => {
  test.each([
    ["Price list", "price"],
    ["Price list", "LIST price"],
    ["Résumé of Zoë", "resume zoe"],
    ["Resume", "résumé"],
    ["Ångström", "angstrom"],
    ["  two \n lines ", "two lines"],
    ["ﬁnance", "finance"],
    ["日本語の表", "語の"],
    ["anything", ""],
  ])("%j by %j", (name, search) =>
    expect(containsAllWords(normalizeForSearch(name), normalizeForSearch(search))).toBe(true),
  );
});

describe("does not match other names", () => {
  test.each([
    ["Price list", "prices"],
    ["Price list", "price list 2"],
    ["", "x"],
  ])("%j by %j", (name, search) =>
    expect(containsAllWords(normalizeForSearch(name), normalizeForSearch(search))).toBe(false),
  );
});
