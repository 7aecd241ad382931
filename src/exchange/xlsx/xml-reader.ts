import { SaxesParser } from "saxes";
import { AppError } from "../../errors.ts";

/** Receives the events of an XML file; names have no namespace prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Parses XML incrementally. */
export class XmlReader {
  readonly #parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #depth = 0;

  constructor(handler: XmlHandler) {
    this.#parser.on("opentag", ({ name, attributes }) => {
      // Deeper than any workbook; bounds the nesting.
      if (++this.#depth > 200) throw new Error("too deep");
      handler.open?.(localName(name), attributes);
    });
    this.#parser.on("closetag", ({ name }) => {
      this.#depth--;
      handler.close?.(localName(name));
    });
    if (handler.text) this.#parser.on("text", (value) => handler.text?.(value));
    this.#parser.on("error", (error) => {
      throw error;
    });
  }

  /** @throws AppError `invalid` for malformed XML */
  write(bytes: Uint8Array): void {
    withXmlErrors(() => this.#parser.write(this.#decoder.decode(bytes, { stream: true })));
  }

  end(): void {
    withXmlErrors(() => this.#parser.write(this.#decoder.decode()).close());
  }
}

/** Parses a whole XML file. */
export async function readXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const reader = new XmlReader(handler);
  for await (const chunk of chunks) reader.write(chunk);
  reader.end();
}

function withXmlErrors(work: () => unknown): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("file.invalid", "The workbook is damaged: one of its parts is not valid XML", { cause });
  }
}
