/**
 * The test matrix of file shapes: 66 files as banks, shops, devices and other programs write them, with the intended
 * tables. Every file varies different properties. The varied properties, and the files that vary them:
 *
 * | varied                          | bank                   | shop                 | sensors             | addresses               | exports                  | structured        |
 * |---------------------------------|------------------------|----------------------|---------------------|-------------------------|--------------------------|-------------------|
 * | lines above the table           | 8: values, paragraphs  | Amazon payments      | HOBO, Fitbit        | LinkedIn                | World Bank, DATEV        | merged title      |
 * | lines below the table           | Deutsche, PostFinance  |                      |                     | delimiters only         | total by years           |                   |
 * | header                          | two columns of a name  | blank line above     | none                | none                    | years, two of a name     | none in lists     |
 * | delimiter at line ends or starts| DKB, Crédit Agricole, SAP |                   | mark at the end     |                         | World Bank               |                   |
 * | delimiter                       | `;` `,` tab            | tab                  | `sep=`              | tab, bar                | `;` with a decimal point |                   |
 * | encoding, line ends             | Windows-1252, mark     | Windows-1252         | Windows-1252, LF    | UTF-16, CR              | Windows-1252, mark       | line by line      |
 * | decimal and group separators    | `.` `'` blank, lakhs   | U+202F, `’`          | three decimals      | U+2212                  | contradicts browser| texts in workbooks|
 * | money, percentages, signs       | brackets, minus after | `€` `$` `CHF` `%`    | scientific          |                         | accounting, `(1.250,00)` | number formats    |
 * | separate debit and credit       | 7                      |                      |                     |                         |                          |                   |
 * | date formats                    | D.M.YY, names          | `Jan-31-24`, points  | month first, Z      | names, none, no proof   | `31/Jan/24`, long names  | ISO, 1904         |
 * | times, offsets                  | apart                  | `+0100`, UTC         | fractions, offsets  |                         | `GMT+1`, `1:05pm`        | times of day      |
 * | missing values                  | dash                   | short orders         | `n/a`, `-`, `ERR`   | `0.0.00`                | `#NV`, `£-`              | errors, no key    |
 * | booleans                        |                        | `true`, WAHR, VRAI   |                     | TRUE, VERO              | checked, Yes, -1         | native            |
 * | identifiers of digits           | IBAN, sort codes       | SKU, `12E4`, last four |                   | postcodes, telephones   | versions, `3101`         | long identifiers  |
 * | several values in a cell        | line breaks            | categories           |                     | `:::`, addresses        | tags, attachments        | lists, objects    |
 * | ambiguous values                |                        | Etsy                 | Fitbit, GPS, HOBO   | birthdays               | British dates, years     |                   |
 */
import { expect } from "bun:test";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

/** An expected column: its label, its type, its cells, and their format. Dates and times are in ISO form. */
export type ExpectedColumn = readonly [
  label: string,
  type: string,
  cells: readonly unknown[],
  format?: Readonly<Record<string, unknown>>,
];

export interface Shape {
  readonly name: string;
  /** The name of the file. */
  readonly file: string;
  /** Lines, joined with CR and LF; or the whole content. */
  readonly content: readonly string[] | string | Uint8Array;
  /** UTF-8 by default. */
  readonly encoding?: "windows-1252" | "utf-8 with mark" | "utf-16le with mark";
  /** The Accept-Language header of the author's browser. */
  readonly language?: string;
  /** Import options of the request. */
  readonly choices?: Readonly<Record<string, string>>;
  /** By table name; `columns` is for a file with one table. */
  readonly tables?: Readonly<Record<string, readonly ExpectedColumn[]>>;
  readonly columns?: readonly ExpectedColumn[];
  /** Notes about the first table. */
  readonly dropped?: number;
  readonly blankLines?: number;
  readonly notes?: Readonly<Record<string, unknown>>;
  /** Labels of columns whose values are ambiguous. */
  readonly ambiguous?: readonly string[];
  /** Number of values that stay texts, by column label. */
  readonly unconverted?: Readonly<Record<string, number>>;
  /** Locale of the document. */
  readonly locale?: string;
  readonly currency?: string;
}

interface Report {
  readonly id: string;
  readonly locale: string;
  readonly currency: string;
  readonly tables: readonly TableReport[];
}

interface TableReport {
  readonly id: string;
  readonly name: string;
  readonly droppedLines?: readonly string[];
  readonly blankLines?: number;
  readonly columns: readonly ColumnReport[];
}

interface ColumnReport {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  readonly format: object;
  readonly unconverted: number;
  readonly ambiguous: boolean;
}

/** Imports shapes into documents of a test server. */
export class ShapeServer implements AsyncDisposable {
  readonly #server: TestApp;
  readonly #place: DocumentFixture;

  private constructor(server: TestApp, place: DocumentFixture) {
    this.#server = server;
    this.#place = place;
  }

  static async start(): Promise<ShapeServer> {
    const server = await testApp();
    return new ShapeServer(server, await createDocumentFixture(server));
  }

  /** Imports the file of a shape and compares the results with everything that the shape expects. */
  async check(shape: Shape): Promise<void> {
    const report = await this.#import(shape);
    const expected = shape.tables ?? { [report.tables[0]?.name ?? ""]: shape.columns ?? [] };
    const found: Record<string, ExpectedColumn[]> = {};
    for (const table of report.tables) {
      const formats = (expected[table.name] ?? []).map(([, , , format]) => format);
      found[table.name] = await this.#columns(report.id, table, formats);
    }
    expect(found).toEqual(expected as typeof found);
    const [first] = report.tables;
    const columns = report.tables.flatMap((table) => table.columns);
    const stray = columns.filter(({ unconverted }) => unconverted > 0).map((one) => [one.label, one.unconverted]);
    expect({
      dropped: first?.droppedLines?.length ?? 0,
      blankLines: first?.blankLines ?? 0,
      ambiguous: columns.filter(({ ambiguous }) => ambiguous).map(({ label }) => label),
      unconverted: Object.fromEntries(stray),
    }).toEqual({
      dropped: shape.dropped ?? 0,
      blankLines: shape.blankLines ?? 0,
      ambiguous: [...(shape.ambiguous ?? [])],
      unconverted: { ...shape.unconverted },
    });
    if (shape.notes) expect(first).toMatchObject(shape.notes);
    if (shape.locale !== undefined) expect(report.locale).toBe(shape.locale);
    if (shape.currency !== undefined) expect(report.currency).toBe(shape.currency);
  }

  async #import(shape: Shape): Promise<Report> {
    const raw = new FormData();
    for (const [field, value] of Object.entries(shape.choices ?? {})) raw.append(field, value);
    raw.append("upload", new File([bytesOf(shape)], shape.file));
    const headers = { "Accept-Language": shape.language ?? "en-US" };
    const path = `${this.#place.shelf}/import?report=1`;
    const { status, body } = await this.#server.call("owner", "POST", path, undefined, { raw, headers });
    expect([status, body.error]).toEqual([200, undefined]);
    return body as Report;
  }

  /** @param formats expected formats by column: others are omitted */
  async #columns(
    documentId: string,
    { id, columns }: TableReport,
    formats: readonly unknown[],
  ): Promise<ExpectedColumn[]> {
    const path = `/o/docs/api/docs/${documentId}/tables/${id}/data`;
    const data = await this.#server.must<Record<string, unknown[]>>("GET", path);
    return columns.map((column, at): ExpectedColumn => {
      const cells = (data[column.id] ?? []).map((cell) => shown(cell, column.type));
      const { label, type, format } = column;
      return formats[at] === undefined ? [label, type, cells] : [label, type, cells, withoutCustom(format)];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

/** Whether a date format is in the list that pages offer follows from the format. */
const withoutCustom = (format: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(format).filter(([name]) => !name.startsWith("isCustom")));

function shown(cell: unknown, type: string): unknown {
  if (typeof cell !== "number" || !type.startsWith("Date")) return cell;
  const iso = new Date(cell * 1000).toISOString();
  return type === "Date" ? iso.slice(0, 10) : iso.replace(".000Z", "Z");
}

function bytesOf({ content, encoding }: Shape): Uint8Array<ArrayBuffer> {
  if (content instanceof Uint8Array) return new Uint8Array(content);
  const text = typeof content === "string" ? content : content.map((line) => `${line}\r\n`).join("");
  if (encoding === "windows-1252") return new Uint8Array(windows1252(text));
  if (encoding === "utf-16le with mark") return new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));
  return new Uint8Array(Buffer.from(encoding === undefined ? text : `\ufeff${text}`));
}

/** Characters that Windows-1252 has in place of Latin-1 control characters. */
const WINDOWS_ONLY: Readonly<Record<string, number>> = {
  "€": 0x80,
  "„": 0x84,
  "“": 0x93,
  "”": 0x94,
  "–": 0x96,
  "’": 0x92,
};

const windows1252 = (text: string): Buffer =>
  Buffer.from(Array.from(text, (character) => WINDOWS_ONLY[character] ?? character.charCodeAt(0)));
