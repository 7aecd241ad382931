import type { DocumentGrant } from "../../authorization.ts";
import type { ReadConnection } from "../../doc/cursors.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { parseFilter } from "../../doc/filters/parse-filter.ts";
import { exportedTable, exportedTables } from "../../doc/read/exported-table.ts";
import { type VisibilityFilter, visibilityFor } from "../../doc/read/visibility-filter.ts";
import { exportedSection, type SectionOverrides } from "../../doc/read/exported-section.ts";
import { type DelimitedFormat, delimitedChunks } from "../../exchange/write-delimited.ts";
import type { ExportedTable, HeaderKind } from "../../exchange/exported-table.ts";
import { tableSchema } from "../../exchange/table-schema.ts";
import { workbookChunks } from "../../exchange/xlsx/writer.ts";
import { invalid } from "../../errors.ts";
import { type ConditionalArgs, renderFile, renderValue, type Rendered } from "./render.ts";
import { verb } from "./verb.ts";

interface ExportArgs extends ConditionalArgs, SectionOverrides {
  /** Table id; ignored with `section`. */
  readonly table: string;
  /** The numeric id of a widget, as a string; exports what the widget shows. */
  readonly section?: string | undefined;
  readonly header: HeaderKind;
}

interface DelimitedArgs extends ExportArgs {
  readonly format: DelimitedFormat;
}

interface SchemaArgs extends ExportArgs {
  /** URL of the same table as CSV. */
  readonly path: string;
}

/** Verbs that export tables to other formats. */
export const exportVerbs = {
  "export.delimited": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document, grant, args: DelimitedArgs): Rendered =>
      renderFile(document, grant, args, (source) =>
        delimitedChunks(selectExport(visibilityFor(document, grant), source, args), args),
      ),
  }),
  "export.schema": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document, grant, args: SchemaArgs): Rendered =>
      renderValue(document, grant, args, () =>
        tableSchema(selectExport(visibilityFor(document, grant), { db: document.db }, args), args),
      ),
  }),
  "export.sheet": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (document, grant, args: ExportArgs): Rendered =>
      renderFile(document, grant, args, (source) =>
        workbookChunks([selectExport(visibilityFor(document, grant), source, args)], {
          header: args.header,
          now: document.clock.now(),
        }),
      ),
  }),
  "export.workbook": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "enforced",
    run: (
      document: OpenDocument,
      grant: DocumentGrant,
      args: ConditionalArgs & { readonly header: HeaderKind },
    ): Rendered =>
      renderFile(document, grant, args, (source) => {
        const tables = exportedTables(visibilityFor(document, grant), source);
        return workbookChunks(tables, { header: args.header, now: document.clock.now() });
      }),
  }),
};

/** Returns the table to export: the content of a widget, or a table. */
function selectExport(seen: VisibilityFilter, source: ReadConnection, args: ExportArgs): ExportedTable {
  if (args.section !== undefined) {
    if (args.filter) throw invalid("filter cannot be combined with viewSection; use filters");
    return exportedSection(seen, source, args.section, args);
  }
  if (args.table === "") throw invalid("tableId is missing");
  return exportedTable(seen, source, { id: args.table, filter: parseFilter(args.filter) });
}
