import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { invalidFile } from "../errors.ts";
import type { CellValue } from "../values/cell.ts";
import { EvidenceCollector } from "./detect/evidence-collector.ts";
import { type ColumnEvidence, isEmpty } from "./detect/evidence.ts";
import type { DeclaredType, TableFile, TableReadReport, TableReader, TextInterpretation } from "./table-parts.ts";
import { timeOfDaySeconds, timeText } from "./times-of-day.ts";
import type { ColumnFormat } from "./xlsx/formats.ts";

/** A table read from a file: its rows are staged in a temporary file until they are imported into a document. */
export interface StagedTable {
  readonly name: string;
  readonly columns: readonly StagedColumn[];
  readonly rowCount: number;
  /** Rows as JSON, one batch per line. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly notes: TableReadReport;
  readonly texts: TextInterpretation;
  /** Identifies the table in references from the file's other tables. */
  readonly number: number | undefined;
}

export interface StagedColumn {
  /** May be empty. */
  readonly label: string;
  /** Index of the column's cell in a row. */
  readonly at: number;
  /** Evidence of all of its values about its type. */
  readonly evidence: ColumnEvidence;
  /** Format of its times of day and durations as text; null for a column without any. */
  readonly times: TimeTextFormat | null;
  /** How the file formats its values, if it specifies a format. */
  readonly format: ColumnFormat | null;
  /** Its type, if the form of the file determines it. */
  readonly declared: DeclaredType | null;
}

interface TimeTextFormat {
  readonly hasSeconds: boolean;
}

/** Maximum number of tables per file. */
const MAX_TABLES = 500;

/**
 * Reads a file to import and writes its rows to disk while collecting evidence about column types. Streams, so that
 * memory use does not depend on the file size.
 * @param pathPrefix prefix of the paths of staged rows; the files are deleted if this throws
 * @throws AppError as the reader; `invalid` if the file has no tables
 */
export async function stageTables(reader: TableReader, file: TableFile, pathPrefix: string): Promise<StagedTable[]> {
  const tables: StagedTableWriter[] = [];
  try {
    for await (const part of reader.read(file)) {
      if (part.kind === "rows") tables.at(-1)?.add(part.rows);
      else if (part.kind === "formats") tables.at(-1)?.setFormats(part.formats);
      else if (part.kind === "types") tables.at(-1)?.setDeclaredTypes(part.types);
      else if (part.kind === "notes") tables.at(-1)?.setNotes(part.notes);
      else {
        if (tables.length === MAX_TABLES) throw invalidFile(`The file has more than ${MAX_TABLES} tables`);
        tables.at(-1)?.close();
        tables.push(new StagedTableWriter(`${pathPrefix}-${tables.length + 1}.rows`, { ...part, texts: reader.texts }));
      }
    }
    tables.at(-1)?.close();
    const staged = tables.map((table) => table.staged());
    const referenced = referencedTables(staged);
    const isNeeded = ({ columns, number }: StagedTable) => columns.length > 0 || referenced.has(number);
    const filled = staged.filter(isNeeded);
    if (filled.length === 0) throw invalidFile("The file contains no table");
    for (const one of staged) if (!isNeeded(one)) rmSync(one.path, { force: true });
    return filled;
  } catch (error) {
    for (const table of tables) table.abort();
    throw error;
  }
}

/** Returns the numbers of tables that columns refer to: they are needed even if they have no columns themselves. */
const referencedTables = (tables: readonly StagedTable[]): ReadonlySet<number | undefined> =>
  new Set(
    tables.flatMap(({ columns }) =>
      columns.flatMap(({ declared }) => (declared?.kind === "reference" ? [declared.parts] : [])),
    ),
  );

interface StagedTableOptions {
  readonly number?: number;
  readonly name: string;
  readonly labels: readonly string[];
  readonly texts: TextInterpretation;
}

class StagedTableWriter {
  readonly #path: string;
  readonly #options: StagedTableOptions;
  readonly #observers: EvidenceCollector[];
  #file: number | undefined;
  #formats: readonly (ColumnFormat | null)[] = [];
  #declared: readonly (DeclaredType | null)[] = [];
  /** By column. */
  readonly #times: TimeTextFormat[] = [];
  #notes: TableReadReport = {};
  #rowCount = 0;
  #sizeBytes = 0;

  constructor(path: string, options: StagedTableOptions) {
    this.#path = path;
    this.#options = options;
    this.#observers = options.labels.map(() => new EvidenceCollector(options.texts));
    this.#file = openSync(path, "wx", 0o600);
  }

  add(rows: readonly (readonly CellValue[])[]): void {
    for (const row of rows) {
      for (let at = 0; at < row.length; at++) {
        const observer = (this.#observers[at] ??= new EvidenceCollector(this.#options.texts));
        const value = row[at] ?? null;
        observer.add(value);
        if (typeof value === "object") this.#trackTime(at, timeOfDaySeconds(value));
      }
    }
    this.#rowCount += rows.length;
    const bytes = Buffer.from(`${JSON.stringify(rows)}\n`);
    this.#sizeBytes += bytes.length;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file ?? -1, bytes, at);
  }

  setFormats(formats: readonly (ColumnFormat | null)[]): void {
    this.#formats = formats;
  }

  #trackTime(at: number, seconds: number | undefined): void {
    if (seconds === undefined) return;
    this.#times[at] = { hasSeconds: this.#times[at]?.hasSeconds === true || seconds % 60 !== 0 };
  }

  setDeclaredTypes(types: readonly (DeclaredType | null)[]): void {
    this.#declared = types;
  }

  setNotes(notes: TableReadReport): void {
    this.#notes = notes;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  abort(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }

  /** Omits columns without a name and without a value. */
  staged(): StagedTable {
    const { name, labels } = this.#options;
    const columns = Array.from(this.#observers, ({ evidence }, at): StagedColumn => {
      const declared = this.#declared[at] ?? null;
      const setFormats = this.#formats[at] ?? null;
      return { label: labels[at] ?? "", at, evidence, times: this.#times[at] ?? null, format: setFormats, declared };
    });
    return {
      name,
      columns: columns.filter(({ label, evidence }) => label !== "" || !isEmpty(evidence)),
      rowCount: this.#rowCount,
      path: this.#path,
      sizeBytes: this.#sizeBytes,
      notes: this.#notes,
      texts: this.#options.texts,
      number: this.#options.number,
    };
  }
}

/** Bytes per read of a file of rows. */
const READ_CHUNK_BYTES = 262_144;

/** Properties needed to read the rows of a staged table again. */
export interface StagedRows {
  readonly path: string;
  readonly columns: readonly Pick<StagedColumn, "at" | "times">[];
}

type Rows = readonly (readonly CellValue[])[];

/** Yields the rows of a staged table in batches. */
export function* stagedRows({ path, columns }: StagedRows): Generator<Rows> {
  const timed = columns.filter(({ times }) => times);
  for (const line of linesOf(path)) {
    const rows = JSON.parse(line) as CellValue[][];
    for (const { at, times } of timed) {
      for (const row of rows) {
        const seconds = timeOfDaySeconds(row[at] ?? null);
        if (seconds !== undefined && times) row[at] = timeText(seconds, times);
      }
    }
    yield rows;
  }
}

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(READ_CHUNK_BYTES);
    let line: Buffer[] = [];
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      let start = 0;
      for (let end = buffer.indexOf(10, start); end >= 0 && end < read; end = buffer.indexOf(10, start)) {
        line.push(buffer.subarray(start, end));
        yield Buffer.concat(line).toString();
        line = [];
        start = end + 1;
      }
      line.push(Buffer.from(buffer.subarray(start, read)));
    }
  } finally {
    closeSync(file);
  }
}
