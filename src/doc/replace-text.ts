export interface TextReplacement {
  readonly find: string;
  readonly by: string;
  readonly matchCase?: boolean | undefined;
}

/** Replaces each occurrence of a text, by default whatever its case. */
export function replaceText(text: string, { find, by, matchCase = false }: TextReplacement): string {
  if (matchCase) return text.replaceAll(find, () => by);
  const pattern = new RegExp(find.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), "giu");
  return text.replaceAll(pattern, () => by);
}
