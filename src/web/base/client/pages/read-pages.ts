/** Reads the metadata of pages for their commands. */
import { api } from "../api.ts";
import type { RecordJson, RecordsPage, TableListing } from "../../table-data.ts";
import { integerOf, textOf } from "../../views/metadata-values.ts";
import type { PageOrder, ShownTable } from "../../views/page-edits.ts";
import { readPageItems, shownPages } from "../../views/page-list.ts";

/** Returns records of a metadata table. @throws Failure */
export async function readMetadata(
  docId: string,
  table: string,
  filter: Readonly<Record<string, readonly number[]>> = {},
): Promise<readonly RecordJson[]> {
  if (Object.values(filter).some((values) => values.length === 0)) return [];
  const path = `/api/docs/${docId}/tables/${table}/records`;
  return (await api<RecordsPage>(path, { query: { filter: JSON.stringify(filter) } })).records;
}

/** Returns all pages in their order. @throws Failure */
export async function readPageOrder(docId: string): Promise<PageOrder> {
  const [pages, views, tables] = await Promise.all([
    readMetadata(docId, "_grist_Pages"),
    readMetadata(docId, "_grist_Views"),
    readTableListing(docId),
  ]);
  const primary = tables.map(({ id, fields }) => ({ id, primaryView: fields.primaryViewId ?? 0 }));
  return { all: readPageItems({ pages, views }), shown: shownPages({ pages, views, tables: primary }) };
}

/** A table by the name that people gave it. */
export interface TitledTable extends ShownTable {
  readonly title: string;
}

export interface SectionPlace {
  readonly ref: number;
  /** 0 for sections that are on no page. */
  readonly view: number;
  readonly tableRef: number;
  readonly kind: string;
  readonly title: string;
}

export interface DocumentParts {
  readonly tables: readonly TitledTable[];
  readonly sections: readonly SectionPlace[];
}

/** Returns the tables and sections that the user sees. @throws Failure */
export async function readDocumentParts(docId: string): Promise<DocumentParts> {
  const [records, listing] = await Promise.all([readMetadata(docId, "_grist_Views_section"), readTableListing(docId)]);
  const sections = records.map(({ id, fields }) => ({
    ref: id,
    view: integerOf(fields["parentId"]),
    tableRef: integerOf(fields["tableRef"]),
    kind: textOf(fields["parentKey"]),
    title: textOf(fields["title"]),
  }));
  const titles = new Map(sections.map(({ ref, title }) => [ref, title]));
  const tables = listing.map(({ id, fields }) => ({
    id,
    ref: fields.tableRef,
    sourceRef: fields.summarySourceTable,
    title: titles.get(fields.rawViewSectionRef ?? 0)?.trim() || id,
  }));
  return { tables, sections };
}

const readTableListing = async (docId: string): Promise<readonly TableListing[]> =>
  (await api<{ tables: TableListing[] }>(`/api/docs/${docId}/tables`)).tables;
