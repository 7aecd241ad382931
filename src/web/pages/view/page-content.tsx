/** The sections of a page in their boxes. Without a script it lists them, with links to their tables. */
import type { FC } from "hono/jsx";
import { EmptyState, Icon, Name, ShortName } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { SheetFrame } from "../../base/sheet-frame.tsx";
import type { LayoutBox } from "../../base/views/box-layout.ts";
import type { SectionData } from "../../base/views/section-data.ts";
import { kindInfo, presentationOf, sectionTitle } from "../../base/views/section-title.ts";
import type { ViewPageData } from "../../base/views/view-page-data.ts";

export const PageContent: FC<{ name: string; data: ViewPageData }> = ({ name, data }) => {
  const t = useTexts();
  const { layout, sections } = data;
  const [only] = sections;
  if (only && sections.length === 1 && layout.collapsed.length === 0 && presentationOf(only.kind) !== "placeholder") {
    return (
      <div class="view single" id="view" data-only={only.ref}>
        <Section data={data} section={only} pageName={name} />
      </div>
    );
  }
  return (
    <div class="view" id="view">
      <div class="toolbar view-bar" id="toolbar">
        <h1 id="view-name" class="sheet-name">
          <Name text={name} />
        </h1>
        <div id="view-tools" class="tools" />
        <span id="view-live" class="sheet-live" />
      </div>
      <div id="view-problem" class="sheet-problem" />
      <div id="view-tabs" class="section-tabs" hidden={sections.length < 2} />
      <div id="view-boxes" class="boxes" tabindex={-1}>
        {sections.length === 0 ? (
          <EmptyState title={t("view.empty.title")} icon="table">
            <p>{data.canChangePage ? t("view.empty.editor") : t("view.empty.viewer")}</p>
          </EmptyState>
        ) : (
          <Boxes data={data} box={layout.root} isRow={false} />
        )}
      </div>
      <div id="view-next" class="next-section" />
      <div id="view-tray" class="tray" hidden={layout.collapsed.length === 0}>
        {layout.collapsed.map((ref) => (
          <Leaf data={data} section={ref} size={100} isCollapsed />
        ))}
      </div>
    </div>
  );
};

interface BoxesProps {
  data: ViewPageData;
  box: LayoutBox;
  /** Whether its children are side by side. */
  isRow: boolean;
}

/** Sizes are attributes: the content security policy forbids styles in the page. */
const Boxes: FC<BoxesProps> = ({ data, box, isRow }) =>
  box.leaf === undefined ? (
    <div class={isRow ? "boxes-row" : "boxes-column"} data-size={box.size}>
      {box.children?.map((child) => (
        <Boxes data={data} box={child} isRow={!isRow} />
      ))}
    </div>
  ) : (
    <Leaf data={data} section={box.leaf} size={box.size} />
  );

const Leaf: FC<{ data: ViewPageData; section: number; size: number; isCollapsed?: boolean }> = (props) => {
  const { data, section: ref, size, isCollapsed = false } = props;
  const section = data.sections.find((each) => each.ref === ref);
  return (
    <div class="leaf" id={`section-${ref}`} data-section={ref} data-size={size} hidden={isCollapsed}>
      {section && <Section data={data} section={section} />}
    </div>
  );
};

/** @param pageName the name of the page, if this is its only section */
const Section: FC<{ data: ViewPageData; section: SectionData; pageName?: string }> = ({ data, section, pageName }) => {
  const t = useTexts();
  const title = sectionTitle(t, section, data.tables);
  const presentation = presentationOf(section.kind);
  const links = { docId: data.docId, section };
  if (presentation === "form" || presentation === "placeholder") {
    return (
      <section class="sheet note-section" aria-labelledby={`sheet-name-${section.ref}`}>
        <div class="toolbar" data-part="toolbar">
          {pageName === undefined ? (
            <h2 class="sheet-name" id={`sheet-name-${section.ref}`} data-part="name">
              <Name text={title} />
            </h2>
          ) : (
            <h1 class="sheet-name" id={`sheet-name-${section.ref}`} data-part="name">
              <Name text={pageName} />
            </h1>
          )}
          <div class="tools" data-part="tools" />
        </div>
        {presentation === "form" ? (
          <FormLinks {...links} canEdit={data.canChangePage} />
        ) : (
          <Placeholder section={section} title={title} />
        )}
      </section>
    );
  }
  return (
    <SheetFrame
      heading={<Name text={pageName ?? title} />}
      {...(pageName === undefined && { section: section.ref })}
      hasChips={hasChips(data, section)}
    >
      <noscript>
        <TableLinks {...links} />
      </noscript>
    </SheetFrame>
  );
};

/** What the script shows as chips. */
const hasChips = ({ contents }: ViewPageData, { table, filters, sortColRefs }: SectionData): boolean =>
  contents[table ?? ""]?.hasRowRules === true || filters.length > 0 || (sortColRefs !== "" && sortColRefs !== "[]");

const TableLinks: FC<{ docId: string; section: SectionData }> = ({ docId, section }) => {
  const t = useTexts();
  const table = encodeURIComponent(section.table ?? "");
  return (
    <p class="note">
      {t.rich("view.noScript", {
        table: (content) => <a href={`/docs/${docId}/tables/${table}`}>{content}</a>,
        csv: (content) => (
          <a href={`/api/docs/${docId}/download/csv?tableId=${table}&viewSection=${section.ref}`}>{content}</a>
        ),
      })}
    </p>
  );
};

const FormLinks: FC<{ docId: string; section: SectionData; canEdit: boolean }> = ({ docId, section, canEdit }) => {
  const t = useTexts();
  const path = `/docs/${docId}/forms/${section.ref}`;
  return (
    <div class="placeholder">
      <Icon name="scroll-text" />
      <p>{t("view.form")}</p>
      <p class="links">
        {canEdit && <a href={`${path}/edit`}>{t("view.form.edit")}</a>}
        <a href={path}>{t("view.form.preview")}</a>
      </p>
    </div>
  );
};

const Placeholder: FC<{ section: SectionData; title: string }> = ({ section, title }) => {
  const t = useTexts();
  const { label, icon } = kindInfo(section.kind);
  const text = section.kind === "chart" ? t("view.placeholder.chart") : t("view.placeholder.other");
  return (
    <div class="placeholder">
      <Icon name={icon} />
      <p>{t.rich("view.placeholder.title", { kind: t(label), title: <ShortName text={title} /> })}</p>
      <p class="quiet">{text}</p>
    </div>
  );
};
