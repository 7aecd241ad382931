import { describe, expect, test } from "bun:test";
import { fold } from "../../../src/lib/text/word-matcher.ts";
import { accentPattern, rankMatches } from "../../../src/web/pages/table/client/editors/text-match.ts";

describe("search of options", () => {
  test("finds texts whatever their case and accents, equal ones and beginnings first", () => {
    const texts = ["Marc José", "Joséphine", "jose", "Josef", "JOSÉ", "Ana"];
    expect(rankMatches(texts, (text) => text, "jose")).toEqual(["jose", "JOSÉ", "Joséphine", "Josef", "Marc José"]);
    expect(rankMatches(texts, (text) => text, " ")).toEqual(texts);
    expect(fold("ÀÉñÖ")).toBe("aeno");
  });

  test("a pattern finds texts with other accents", () => {
    const finds = (typed: string, text: string): boolean =>
      new RegExp((accentPattern(typed) ?? "").replace("(?i)", "").replaceAll("\\pM", "\\p{M}"), "iu").test(text);
    expect(finds("jose", "San JOSÉ")).toBe(true);
    expect(finds("José", "Jose")).toBe(true);
    expect(finds("a.b(", "a.b(c")).toBe(true);
    expect(finds("a.b", "axb")).toBe(false);
    expect(accentPattern("e".repeat(300))).toBeNull();
  });
});
