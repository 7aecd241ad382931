/**
 * The table of shapes: 66 files as banks, shops, devices and other programs write them, with what their authors mean. No two
 * vary the same. What is varied, and in which of them:
 *
 * | varied                          | bank                   | shop                 | sensors             | addresses               | exports                  | structured        |
 * |---------------------------------|------------------------|----------------------|---------------------|-------------------------|--------------------------|-------------------|
 * | lines above the table           | 8: values, paragraphs  | Amazon payments      | HOBO, Fitbit        | LinkedIn                | World Bank, DATEV        | merged title      |
 * | lines below it                  | Deutsche, PostFinance  |                      |                     | delimiters only         | total by years           |                   |
 * | header                          | two columns of a name  | blank line above     | none                | none                    | years, two of a name     | none in lists     |
 * | delimiter at line ends or starts| DKB, Crédit Agricole, SAP |                   | mark at the end     |                         | World Bank               |                   |
 * | delimiter                       | `;` `,` tab            | tab                  | `sep=`              | tab, bar                | `;` with a decimal point |                   |
 * | encoding, line ends             | Windows-1252, mark     | Windows-1252         | Windows-1252, LF    | UTF-16, CR              | Windows-1252, mark       | line by line      |
 * | decimal sign and groups         | `.` `'` blank, lakhs   | U+202F, `’`          | three decimals      | U+2212                  | proof against the browser| texts in workbooks|
 * | money, percentages, signs       | brackets, minus behind | `€` `$` `CHF` `%`    | scientific          |                         | accounting, `(1.250,00)` | number formats    |
 * | debit and credit apart          | 7                      |                      |                     |                         |                          |                   |
 * | form of dates                   | D.M.YY, names          | `Jan-31-24`, points  | month first, Z      | names, none, no proof   | `31/Jan/24`, long names  | ISO, 1904         |
 * | times, offsets                  | apart                  | `+0100`, UTC         | fractions, offsets  |                         | `GMT+1`, `1:05pm`        | times of day      |
 * | missing values                  | dash                   | short orders         | `n/a`, `-`, `ERR`   | `0.0.00`                | `#NV`, `£-`              | errors, no key    |
 * | truth values                    |                        | `true`, WAHR, VRAI   |                     | TRUE, VERO              | checked, Yes, -1         | native            |
 * | codes that are no numbers       | IBAN, sort codes       | SKU, `12E4`, last four |                   | postcodes, telephones   | versions, `3101`         | long identifiers  |
 * | several values in a cell        | line breaks            | categories           |                     | `:::`, addresses        | tags, attachments        | lists, objects    |
 * | open to two readings            |                        | Etsy                 | Fitbit, GPS, HOBO   | birthdays               | British dates, years     |                   |
 */
import { expect } from "bun:test";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

/**
 * A column that is expected: its label, its type, its cells, and how they are shown. Dates and times are given in ISO
 * form.
 */
export type ExpectedColumn = readonly [
  label: string,
  type: string,
  cells: readonly unknown[],
  format?: Readonly<Record<string, unknown>>,
];

export interface Shape {
  readonly name: string;
  /** What the file is called. */
  readonly file: string;
  /** Lines, which end with CR and LF; or the whole content. */
  readonly content: readonly string[] | string | Uint8Array;
  /** UTF-8 by default. */
  readonly encoding?: "windows-1252" | "utf-8 with mark" | "utf-16le with mark";
  /** What the author's browser sends as Accept-Language. */
  readonly language?: string;
  /** What the request says about the file. */
  readonly choices?: Readonly<Record<string, string>>;
  /** By the names of the tables; `columns` for a file of one table. */
  readonly tables?: Readonly<Record<string, readonly ExpectedColumn[]>>;
  readonly columns?: readonly ExpectedColumn[];
  /** Notes of the first table. */
  readonly dropped?: number;
  readonly blankLines?: number;
  readonly notes?: Readonly<Record<string, unknown>>;
  /** Labels of columns whose values can be read in two ways. */
  readonly ambiguous?: readonly string[];
  /** Values that stay texts, by the labels of their columns. */
  readonly unconverted?: Readonly<Record<string, number>>;
  /** Of the document. */
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

/** Imports shapes into documents of a server of its own. */
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

  /** Imports the file of a shape and compares everything that is expected of it. */
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

  /** @param formats those that are expected, by column: others are left out */
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

/** Whether a form of dates is in the list that pages offer follows from the form. */
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

/** Characters that Windows-1252 has in place of control characters of Latin 1. */
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
