/** Downloads tables, imports the files as new documents, and compares the displayed texts. */
import { expect } from "bun:test";
import { parse } from "csv-parse/sync";
import type { TestApp } from "../../helpers/app.ts";

/** A table as its CSV shows it, without blank rows, which imports omit. */
export interface ShownTable {
  readonly labels: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface ColumnInfo {
  readonly id: string;
  readonly colRef: number;
  readonly label: string;
  readonly type: string;
  readonly widgetOptions: string;
}

/** A cell with another displayed text after export and import, and its column. */
export interface Difference {
  readonly column: string;
  readonly row: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** An imported table with the types of its columns, in the order of its columns. */
export interface ImportedTable {
  readonly id: string;
  readonly shown: ShownTable;
  readonly types: readonly string[];
}

export const DELIMITED = ["csv", "tsv", "dsv"] as const;

export class RoundTrips {
  readonly #server: TestApp;
  /** The path of the workspace for imported documents. */
  readonly #workspace: string;

  constructor(server: TestApp, workspace: string) {
    this.#server = server;
    this.#workspace = workspace;
  }

  async download(doc: string, path: string): Promise<Blob> {
    const headers = { Host: "quern.test", Authorization: `Bearer ${this.#server.keys.owner}` };
    const request = new Request(`http://quern.test${doc}/download/${path}`, { headers });
    const response = await this.#server.app.handle(request);
    expect([path, response.status]).toEqual([path, 200]);
    return response.blob();
  }

  /** Returns the displayed texts of a table. */
  async shown(doc: string, table: string): Promise<ShownTable> {
    return shownIn(await (await this.download(doc, `csv?tableId=${table}`)).text());
  }

  async columns(doc: string, table: string): Promise<ColumnInfo[]> {
    const { columns } = await this.#server.must<{ columns: { id: string; fields: Omit<ColumnInfo, "id"> }[] }>(
      "GET",
      `${doc}/tables/${table}/columns`,
    );
    return columns.map(({ id, fields }) => ({ id, ...fields }));
  }

  async tables(doc: string): Promise<string[]> {
    const { tables } = await this.#server.must<{ tables: { id: string }[] }>("GET", `${doc}/tables`);
    return tables.map(({ id }) => id);
  }

  /** Imports a file as a new document and returns its tables. */
  async imported(file: File, fields: Readonly<Record<string, string>>): Promise<ImportedTable[]> {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    form.append("upload", file);
    const reply = await this.#server.call("owner", "POST", `${this.#workspace}/import`, undefined, { raw: form });
    expect([file.name, reply.status, reply.body]).toEqual([file.name, 200, expect.anything()]);
    const doc = `/o/docs/api/docs/${reply.body.id}`;
    const tables: ImportedTable[] = [];
    for (const table of await this.tables(doc)) {
      const columns = await this.columns(doc, table);
      tables.push({ id: table, shown: await this.shown(doc, table), types: columns.map(({ type }) => type) });
    }
    await this.#server.must("DELETE", doc);
    return tables;
  }
}

/** Parses a downloaded CSV. */
export function shownIn(csv: string): ShownTable {
  const [labels = [], ...rows] = parse(csv, { relax_column_count: true });
  return { labels, rows: rows.filter((row) => row.some((cell) => cell.trim() !== "")) };
}

/** Returns the cells that differ between two tables. */
export function differences(before: ShownTable, after: ShownTable): Difference[] {
  const found: Difference[] = [];
  for (let row = 0; row < Math.max(before.rows.length, after.rows.length); row++) {
    for (const [at, column] of before.labels.entries()) {
      const [one, other] = [before.rows[row]?.[at], after.rows[row]?.[at]];
      if (one !== other) found.push({ column, row, before: one, after: other });
    }
  }
  return found;
}
