/** Reads the pages of a document file by SQL, independently of the server's code. */
import type { Database } from "bun:sqlite";

export interface StoredSection {
  readonly ref: number;
  readonly kind: string;
  readonly title: string;
  /** Columns with their widths: `Name 100`. */
  readonly columns: readonly string[];
  /** Columns with a sign: `-Name`, and flags. */
  readonly sort: readonly string[];
}

export interface StoredPage {
  readonly view: number;
  readonly name: string;
  readonly sections: readonly StoredSection[];
  /** As `drawBoxes` draws it, by row ids. */
  readonly boxes: string;
  readonly tray: readonly string[];
}

export function storedPages(db: Database): StoredPage[] {
  const pages = db
    .query<{ view: number; name: string; layoutSpec: string }, []>(
      `select v.id as view, v.name, v.layoutSpec from _grist_Pages p join _grist_Views v on v.id = p.viewRef
       order by p.pagePos, p.id`,
    )
    .all();
  return pages.map(({ view, name, layoutSpec }) => {
    const sections = storedSections(db, view);
    return {
      view,
      name,
      sections,
      ...storedBoxes(
        layoutSpec,
        sections.map(({ ref }) => ref),
      ),
    };
  });
}

function storedSections(db: Database, view: number): StoredSection[] {
  const sections = db
    .query<{ ref: number; kind: string; title: string; sorted: string }, [number]>(
      `select s.id as ref, s.parentKey as kind, s.title, s.sortColRefs as sorted from _grist_Views_section s
       join _grist_Tables t on t.id = s.tableRef where s.parentId = ? order by s.id`,
    )
    .all(view);
  return sections.map(({ ref, kind, title, sorted }) => ({
    ref,
    kind,
    title,
    columns: db
      .query<{ shown: string }, [number]>(
        `select c.colId || ' ' || coalesce(nullif(f.width, 0), nullif(s.defaultWidth, 0), 100) as shown
         from _grist_Views_section_field f join _grist_Tables_column c on c.id = f.colRef
         join _grist_Views_section s on s.id = f.parentId
         where f.parentId = ? and c.colId <> 'manualSort' and c.colId not like 'gristHelper\\_%' escape '\\'
         order by f.parentPos, f.id`,
      )
      .all(ref)
      .map(({ shown }) => shown),
    sort: storedSort(db, sorted),
  }));
}

function storedSort(db: Database, sortColRefs: string): string[] {
  let entries: unknown;
  try {
    entries = JSON.parse(sortColRefs);
  } catch {
    return [];
  }
  return (entries as (number | string)[]).flatMap((entry) => {
    const [number = "", flags] = String(entry).split(":");
    const column = db
      .query<{ colId: string }, [number]>("select colId from _grist_Tables_column where id = ?")
      .get(Math.abs(Number(number)));
    if (!column) return [];
    return [`${number.startsWith("-") ? "-" : ""}${column.colId}${flags ? `:${flags}` : ""}`];
  });
}

interface StoredBox {
  readonly leaf?: number;
  readonly size?: number;
  readonly children?: readonly StoredBox[];
  readonly collapsed?: readonly StoredBox[];
}

function storedBoxes(layoutSpec: string, sections: readonly number[]): { boxes: string; tray: string[] } {
  const { children = [], collapsed = [] } = (layoutSpec === "" ? {} : JSON.parse(layoutSpec)) as StoredBox;
  const tray = collapsed.map(({ leaf }) => Number(leaf)).filter((leaf) => sections.includes(leaf));
  const rest = new Set(sections.filter((ref) => !tray.includes(ref)));
  const sized = (text: string, size = 100): string => (text === "" || size === 100 ? text : `${text} ${size}`);
  const drawBox = ({ leaf, size, children: inner = [] }: StoredBox, separator: string): string => {
    if (leaf !== undefined) return rest.delete(leaf) ? sized(String(leaf), size) : "";
    const parts = inner
      .map((child) => drawBox(child, separator === " | " ? " / " : " | "))
      .filter((part) => part !== "");
    return parts.length === 0 ? "" : sized(`(${parts.join(separator)})`, size);
  };
  const rows = children.map((child) => drawBox(child, " | ")).filter((part) => part !== "");
  for (const ref of rest) {
    const last = rows.at(-1);
    if (last !== undefined && /^\d+$/.test(last)) rows[rows.length - 1] = `(${last} | ${ref})`;
    else rows.push(String(ref));
  }
  return { boxes: rows.join(" / "), tray: tray.map(String) };
}
