import texts from "./hostile.json";

/** A text, or its parts, where a part may be repeated a number of times. */
type Text = string | (string | readonly [part: string, times: number])[];

/** The statements of hostile.json; some contain the path of another database. */
export const hostileTexts = (outside: string): string[] =>
  (texts as unknown as Text[]).map((text) =>
    [text]
      .flat()
      .map((part) => (typeof part === "string" ? part : part[0].repeat(part[1])))
      .join("")
      .replaceAll("{outside}", outside),
  );
