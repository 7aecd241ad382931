import texts from "./hostile.json";

/** A text, or parts of one, where a part may be repeated so many times. */
type Text = string | (string | readonly [part: string, times: number])[];

/** The statements of hostile.json, with the path of another database where they want one. */
export const hostileTexts = (outside: string): string[] =>
  (texts as unknown as Text[]).map((text) =>
    [text]
      .flat()
      .map((part) => (typeof part === "string" ? part : part[0].repeat(part[1])))
      .join("")
      .replaceAll("{outside}", outside),
  );
