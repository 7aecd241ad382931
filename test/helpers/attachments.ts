import type { Caller, Reply, TestApp } from "./app.ts";

export interface SentFile {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** The media type that is declared; what the name tells when missing. */
  readonly type?: string;
}

/** A form with files in the field `upload`, or another. */
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

/** The body of a multipart form written by hand, for what no FormData makes; with the type it is sent by. */
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
