import { SaxesParser } from "saxes";
import { AppError } from "../errors.ts";

/** What is told of an XML file as it is read; names are without the prefix of their namespace. */
export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Reads XML that comes in portions. */
export class XmlReader {
  readonly #parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #depth = 0;

  constructor(events: XmlEvents) {
    this.#parser.on("opentag", ({ name, attributes }) => {
      // Deeper than any workbook, and not without end.
      if (++this.#depth > 200) throw new Error("too deep");
      events.open?.(local(name), attributes);
    });
    this.#parser.on("closetag", ({ name }) => {
      this.#depth--;
      events.close?.(local(name));
    });
    if (events.text) this.#parser.on("text", (value) => events.text?.(value));
    this.#parser.on("error", (error) => {
      throw error;
    });
  }

  /** @throws AppError `invalid` for what is no XML */
  write(bytes: Uint8Array): void {
    refusing(() => this.#parser.write(this.#decoder.decode(bytes, { stream: true })));
  }

  end(): void {
    refusing(() => this.#parser.write(this.#decoder.decode()).close());
  }
}

/** Reads a whole file of XML. */
export async function readXml(chunks: AsyncIterable<Uint8Array>, events: XmlEvents): Promise<void> {
  const reader = new XmlReader(events);
  for await (const chunk of chunks) reader.write(chunk);
  reader.end();
}

function refusing(work: () => unknown): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("file.invalid", "The workbook is damaged: a part of it is no XML", { cause });
  }
}
