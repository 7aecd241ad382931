import { expect, test } from "bun:test";
import { errorText, EXPLAINED_ERRORS } from "../../../src/formula/error-descriptions.ts";
import { chooseLanguage, textsOf } from "../../../src/web/texts/languages.ts";

test.each(EXPLAINED_ERRORS)("pages explain a formula error like the API: %s", (name) => {
  const t = textsOf(chooseLanguage("en", null));
  expect(t.ofFamily("formulaError.*", name)).toBe(errorText(name));
  expect(t("formulaError.unknown", { error: "KeyboardError" })).toBe(errorText("KeyboardError"));
  expect(t.ofFamily("cellError.*", name)?.length).toBeLessThan(36);
});
