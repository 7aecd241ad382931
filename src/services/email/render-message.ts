import type { EmailText } from "./texts.ts";

/** The bodies of a message. */
export interface RenderedMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a message as plain text and as HTML, both with the same content. */
export function renderMessage({ subject, paragraphs, link, notes }: EmailText): RenderedMessage {
  const lines = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), ...notes];
  const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
  const anchor = link && `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`;
  const body = [...paragraphs.map(paragraph), ...(anchor ? [anchor] : []), ...notes.map(paragraph)].join("\n");
  return {
    subject,
    text: `${lines.join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>\n${body}\n</body></html>\n`,
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
