/** A document that a test makes by user actions, and what its pages show. */
import { readSectionView } from "../../../src/web/base/views/section-view.ts";
import type { SectionData } from "../../../src/web/base/views/section-data.ts";
import type { ViewPageData } from "../../../src/web/base/views/view-page-data.ts";
import { createDocumentFixture } from "../../helpers/request-steps.ts";
import { ADA, adasApp, type Visitor } from "../visitor.ts";
import { drawBoxes } from "./drawing.ts";

export type Action = readonly [name: string, ...args: readonly unknown[]];
export type Fields = Readonly<Record<string, unknown>>;

export interface Stored {
  readonly id: number;
  readonly fields: Fields;
}

/** Sends a request to the API of a document; paths begin behind the document's id. */
export type Request = (method: string, path: string, body?: unknown) => Promise<unknown>;

export interface NewSection {
  /** 0 for a new page. */
  readonly view?: number;
  readonly kind?: string;
  /** Ids of the columns of a summary. */
  readonly groupBy?: readonly string[];
  /** The name of a new page. */
  readonly page?: string;
  /** Stored in the section. */
  readonly values?: Fields;
}

export interface MadeSection {
  readonly view: number;
  readonly section: number;
}

/** Makes the content of a document. */
export class Paper {
  readonly #request: Request;

  constructor(request: Request) {
    this.#request = request;
  }

  async apply(...actions: readonly Action[]): Promise<readonly unknown[]> {
    return ((await this.#request("POST", "/apply", actions)) as { retValues: unknown[] }).retValues;
  }

  async records(table: string): Promise<readonly Stored[]> {
    const found = (await this.#request("GET", `/tables/${table}/records?hidden=true`)) as { records: Stored[] };
    return found.records;
  }

  async table(id: string): Promise<number> {
    return idOf(await this.records("_grist_Tables"), { tableId: id });
  }

  async column(table: string, id: string): Promise<number> {
    return idOf(await this.records("_grist_Tables_column"), { parentId: await this.table(table), colId: id });
  }

  /** The field of a section for a column. */
  async field(section: number, table: string, column: string): Promise<number> {
    const colRef = await this.column(table, column);
    return idOf(await this.records("_grist_Views_section_field"), { parentId: section, colRef });
  }

  /** Adds a table without a page. */
  async addTable(id: string, columns: readonly Fields[], rows: Readonly<Record<string, readonly unknown[]>>) {
    await this.apply(["AddTable", id, columns]);
    const { primaryViewId } = (await this.records("_grist_Tables")).find((each) => each.fields["tableId"] === id)
      ?.fields ?? { primaryViewId: 0 };
    await this.apply(["RemoveView", primaryViewId]);
    const count = Object.values(rows)[0]?.length ?? 0;
    if (count > 0) await this.apply(["BulkAddRecord", id, Array.from({ length: count }, () => null), rows]);
  }

  async addSection(table: string, made: NewSection = {}): Promise<MadeSection> {
    const { view = 0, kind = "record", groupBy, page, values } = made;
    const columns = groupBy && (await Promise.all(groupBy.map((id) => this.column(table, id))));
    const [found] = await this.apply(["CreateViewSection", await this.table(table), view, kind, columns ?? null, null]);
    const { viewRef, sectionRef } = found as { viewRef: number; sectionRef: number };
    if (page !== undefined) await this.apply(["UpdateRecord", "_grist_Views", viewRef, { name: page }]);
    if (values) await this.apply(["UpdateRecord", "_grist_Views_section", sectionRef, values]);
    return { view: viewRef, section: sectionRef };
  }

  async addFilter(section: number, colRef: number, { filter, pinned = false }: { filter: string; pinned?: boolean }) {
    await this.apply(["AddRecord", "_grist_Filters", null, { viewSectionRef: section, colRef, filter, pinned }]);
  }
}

function idOf(records: readonly Stored[], wanted: Fields): number {
  const found = records.find(({ fields }) => Object.entries(wanted).every(([key, value]) => fields[key] === value));
  if (!found) throw new Error(`no record ${JSON.stringify(wanted)}`);
  return found.id;
}

/** What a page shows, as the server renders it. */
export interface ShownPage {
  readonly status: number;
  readonly html: string;
  /** Boxes by the titles of their sections: `A / (B 60 | C 40)`, stacked and side by side. */
  readonly boxes: string;
  /** Titles of the sections in the tray. */
  readonly tray: readonly string[];
  readonly data: ViewPageData;
}

export interface Desk extends AsyncDisposable {
  readonly visitor: Visitor;
  readonly docId: string;
  readonly paper: Paper;
  readonly request: Request;
  open(view: number): Promise<ShownPage>;
}

/** A server with an empty document, whose pages Ada opens. */
export async function openDesk(): Promise<Desk> {
  const server = await adasApp();
  const { uuid, doc } = await createDocumentFixture(server);
  await server.must("PATCH", `${doc}/access`, { delta: { users: { [ADA.email]: "owners" } } });
  const request: Request = (method, path, body) => server.must(method, `${doc}${path}`, body);
  return {
    visitor: server.ada,
    docId: uuid,
    paper: new Paper(request),
    request,
    open: (view) => openPage(server.ada, uuid, view),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export async function openPage(visitor: Visitor, docId: string, view: number): Promise<ShownPage> {
  const { status, html } = await visitor.get(`/docs/${docId}/pages/${view}`);
  const embedded = /<script type="application\/json" id="view-data">(.*?)<\/script>/s.exec(html)?.[1];
  if (embedded === undefined) throw new Error(`page ${view}: ${status}`);
  return { status, html, ...(await drawBoxes(html)), data: JSON.parse(embedded) as ViewPageData };
}

/** The section of a page; the first by default. */
export function sectionOf({ sections }: ViewPageData, ref = sections[0]?.ref): SectionData {
  const found = sections.find((each) => each.ref === ref);
  if (!found) throw new Error(`the page has no section ${ref}`);
  return found;
}

/** How a section of a page shows its table. */
export const viewOf = (data: ViewPageData, ref?: number) => {
  const section = sectionOf(data, ref);
  return readSectionView(section, data.contents[section.table ?? ""]?.columns ?? []);
};

/** Columns with their widths: `Name 100`. */
export function columnsOf(data: ViewPageData, ref?: number): string[] {
  const { order, widths } = viewOf(data, ref).state;
  return order.map((id) => `${id} ${widths[id]}`);
}

/** The values of a column in the rows that a grid shows first. */
export const rowsOf = (data: ViewPageData, column: string, ref = data.sections[0]?.ref ?? 0): unknown[] | undefined =>
  data.first[ref]?.records.map(({ fields }) => fields[column]);
