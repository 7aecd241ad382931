import type { Caller, Reply, TestApp } from "./app.ts";

export interface SentFile {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** The declared media type; derived from the name if missing. */
  readonly type?: string;
}

/** Returns a form with files in the field `upload`, or another. */
export function formOf(files: readonly SentFile[], field = "upload"): FormData {
  const form = new FormData();
  for (const { name, content, type } of files) {
    form.append(field, new File([content], name, { type: type ?? Bun.file(name).type }), name);
  }
  return form;
}

/** Uploads attachments to a document. */
export const upload = (
  server: TestApp,
  { as = "owner", doc, files }: { as?: Caller; doc: string; files: readonly SentFile[] },
): Promise<Reply> => server.call(as, "POST", `/api/docs/${doc}/attachments`, undefined, { raw: formOf(files) });

/** Returns a multipart body written by hand, for bodies that FormData cannot produce, with its content type. */
export function rawForm(parts: readonly { headers: string; content: string }[], { end = true } = {}) {
  const boundary = "----cut";
  const text = parts.map(
    ({ headers, content }) => `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`,
  );
  return {
    raw: text.join("") + (end ? `--${boundary}--\r\n` : ""),
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}`, "X-Requested-With": "XMLHttpRequest" },
  };
}
