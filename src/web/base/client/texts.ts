/** The texts of the page in its language. The page loads the texts of its scripts before them. */
import type { Message } from "../../texts/message.ts";
import { createTexts, type Texts } from "../../texts/texts.ts";

declare global {
  // Set by a script that the server makes from the catalogue; its variables have to be global.
  // oxlint-disable-next-line no-var
  var quernTexts: Readonly<Record<string, Message>>;
}

export type ClientTexts = Texts<Node>;

/** Without a document in unit tests, which use English. */
const locale = typeof document === "undefined" ? "en" : document.documentElement.lang;

/** Returns a text: `t("trash.restored", { name })`; the key must be a literal. */
export const t: ClientTexts = createTexts(locale, (key) => globalThis.quernTexts[key]);
