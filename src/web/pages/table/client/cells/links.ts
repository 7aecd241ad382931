/** Hyperlinks in texts such as `Quern https://quern.example`: the last word is the address, the words before it are shown. */

export interface CellLink {
  readonly label: string;
  readonly href: string;
}

/** Returns the link of a text; null for texts without an address. */
export function parseLink(text: string): CellLink | null {
  const [, label = "", href = ""] = /^(.*?)\s*(https?:\/\/\S+)$/s.exec(text.trim()) ?? [];
  return href ? { label: label || href, href } : null;
}

/** Returns the text of a cell with a link. Addresses without a protocol get one. */
export function linkText(label: string, address: string): string {
  const words = address.trim().replaceAll(/\s/g, "%20");
  const href = words === "" || /^[a-z][a-z\d+.-]*:/i.test(words) ? words : `https://${words}`;
  return [label.trim(), href].filter((part) => part !== "").join(" ");
}
