import type { Child, FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import { changesBetween, describeHistory } from "../../../services/documents/history.ts";
import type { History } from "../../../wire/documents/history.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { readDocumentSettings } from "../../base/document-settings.ts";
import { errorPageText } from "../../base/error-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, renderErrorPage, withDocument } from "../../base/page-guards.tsx";
import { Icon, MarkedText, Note } from "../../base/components.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import type { ChangedTable } from "./changed-rows.ts";
import { ChangedTables } from "./changed-tables.tsx";
import { CompareForm } from "./compare-form.tsx";
import { findState } from "./find-state.ts";
import { presentNames } from "./present-names.ts";
import { readMetadata, undoMetadataChanges } from "./past-metadata.ts";
import { PastSchema } from "./past-schema.ts";
import { readChangedTables } from "./read-changed-tables.ts";
import { RowPages, readRowRange, type RowRange } from "./row-pages.tsx";
import { schemaDifferences } from "./schema-changes.ts";

interface Comparison {
  readonly left: number;
  /** Null for the present. */
  readonly right: number | null;
  /** The number of the newer state. */
  readonly rightState: number;
  readonly states: History["states"];
  readonly sentences: readonly string[];
  readonly tables: readonly ChangedTable[];
  readonly range: RowRange;
  readonly names: string;
  /** Why the differences cannot be shown. */
  readonly error: Child;
}

/** Leads from the form to the address of a comparison, with the older state first. */
export function redirectToComparison(c: PageContext): Response {
  const [left, right] = [c.req.query("left"), c.req.query("right")].map(Number);
  const address = new URL(c.req.url).pathname.replace(/\/compare$/, "");
  const states = [left, right].filter((n): n is number => n !== undefined && Number.isSafeInteger(n) && n > 0);
  const [first, second] = states.toSorted((a, b) => a - b);
  if (first === undefined) return c.redirect(address, 303);
  return c.redirect(`${address}/${first}?with=${second ?? "now"}`, 303);
}

/** The differences between two states, or a state and the present. */
export function showComparison(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    try {
      return await renderPage(c, <ComparePage visit={visit} {...await readComparison(c, visit)} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

async function readComparison(c: PageContext, visit: DocumentPageContext): Promise<Comparison> {
  const { ctx } = c.env.call;
  const { grant } = visit;
  const t = pageTexts(c);
  const left = Number(c.req.param("state"));
  const wanted = c.req.query("with") ?? "now";
  const right = wanted === "now" ? null : Number(wanted);
  const { states } = await describeHistory(ctx, grant, { before: null, limit: 50 });
  const rightState = right ?? states[0]?.n ?? 0;
  const [older, newer] = await Promise.all([findState(ctx, grant, left), findState(ctx, grant, rightState)]);
  const range = readRowRange(c);
  const common = { left, right, rightState, states, range };
  try {
    const metadata = await readMetadata(ctx, grant);
    const later =
      right === null
        ? {}
        : (await changesBetween(ctx, grant, { left: newer.state.h, right: "HEAD", maxRows: 1 })).tableDeltas;
    const { tableDeltas } = await changesBetween(ctx, grant, {
      left: older.state.h,
      right: newer.state.h,
      maxRows: range.readRows,
    });
    const afterMetadata = undoMetadataChanges(metadata, later);
    const after = new PastSchema(t, afterMetadata);
    const before = new PastSchema(t, undoMetadataChanges(afterMetadata, tableDeltas));
    const current = new PastSchema(t, metadata);
    const settings = await readDocumentSettings(ctx, grant);
    const tables = await readChangedTables(ctx, grant, { t, settings, current, before, after, tableDeltas, range });
    return {
      ...common,
      sentences: schemaDifferences(t, { before, after }),
      tables,
      names: presentNames(current),
      error: null,
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { ...common, sentences: [], tables: [], names: "{}", error: errorPageText(t, error) };
  }
}

const ComparePage: FC<Comparison & { visit: DocumentPageContext }> = (props) => {
  const t = useTexts();
  const { visit, left, right, rightState, states, sentences, tables, range, names, error } = props;
  const address = `${visit.prefix}/docs/${visit.document.uuid}/history`;
  const sides = [
    t("history.state", { n: left }),
    right === null ? t("history.now") : t("history.state", { n: right }),
  ] as const;
  const title = t("history.compare.title", { left: sides[0], right: sides[1] });
  const here = `${address}/${left}?with=${right ?? "now"}`;
  const canRestore = allows(visit.role, "editors");
  return (
    <DocumentPage visit={visit} page="history" title={title} bundle="history" wide>
      <div id="newer" class="problem-place" />
      <div
        id="history"
        data-document={visit.document.uuid}
        data-from={left}
        data-seen={rightState}
        {...(canRestore && { "data-names": names })}
      >
        <nav class="bar states-nav" aria-label={t("history.states.nav")}>
          <a class="button plain small" href={address}>
            <Icon name="chevron-left" />
            {t("history.all")}
          </a>
        </nav>
        <h2>{title}</h2>
        <CompareForm address={address} states={states} left={left} right={right} />
        {error && (
          <Note
            text={
              <>
                {t("history.noRows")} {error}
              </>
            }
          />
        )}
        {sentences.length > 0 && range.table === null && (
          <ul class="sentences">
            {sentences.map((sentence) => (
              <li>
                <MarkedText text={sentence} />
              </li>
            ))}
          </ul>
        )}
        {range.table !== null && (
          <p>
            <a class="button plain small" href={here}>
              {t("history.allTables")}
            </a>
          </p>
        )}
        <ChangedTables
          tables={tables}
          sides={sides}
          canRestore={canRestore}
          paging={(table) => <RowPages table={table} range={range} here={here} />}
        />
        {!error && tables.length === 0 && <p class="quiet">{t("history.noRowsChanged")}</p>}
      </div>
    </DocumentPage>
  );
};
