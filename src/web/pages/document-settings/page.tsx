import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { externalStores, storeKind } from "../../../services/attachments/attachment-transfers.ts";
import { readRetention } from "../../../services/documents/history.ts";
import type { Document } from "../../../wire/documents/documents.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { readDocumentSettings } from "../../base/document-settings.ts";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, renderErrorPage, withDocument } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";
import { canAddDocuments, readSite, type SiteListing } from "../../base/site-listings.ts";
import { formatSize } from "../../base/sizes.ts";
import { tableTitle } from "../../base/table-titles.ts";
import type { DocumentSettings } from "../../base/table-data.ts";
import { type Choice, ReadOnlySetting, SelectSetting, TextSetting } from "./fields.tsx";
import { Formats } from "./formats.tsx";
import { DangerZone, History, Storage, Timing } from "./owner-sections.tsx";

export const documentSettingsRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/settings", showSettings);
};

interface SettingsData {
  readonly visit: DocumentPageContext;
  readonly formats: DocumentSettings;
  readonly store: "internal" | "external";
  readonly hasExternalStore: boolean;
  readonly history: { readonly states: number; readonly bytes: number };
  /** The number that the owners chose; null for others as well. */
  readonly keptStates: number | null;
  /** Where an owner can move the document to, on its site. */
  readonly workspaces: readonly Choice[];
  readonly canPin: boolean;
}

type Site = Pick<SiteListing, "role" | "workspaces">;

const isSiteEditor = ({ role }: Site): boolean => allows(role, "editors");

/** The site of the document; null for users who do not see it there. */
function siteOf(c: PageContext, { user, grant, document: { workspace } }: DocumentPageContext): Site | null {
  const site = user && readSite(c, user, { siteId: grant.orgId, options: { showRemoved: false, sizes: false } });
  return site?.workspaces.some(({ id }) => id === workspace.id) ? site : null;
}

const workspacesOf = (site: Site, { workspace }: Document): Choice[] =>
  site.workspaces
    .filter((each) => each.id === workspace.id || canAddDocuments(each))
    .map(({ id, name }) => ({ value: String(id), label: name, isData: true }));

function showSettings(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const { ctx, config } = c.env.call;
    try {
      const [formats, { type }, retention] = await Promise.all([
        readDocumentSettings(ctx, visit.grant),
        storeKind(ctx, visit.grant),
        visit.role === "owners" ? readRetention(ctx, visit.grant) : null,
      ]);
      const site = siteOf(c, visit);
      const data: SettingsData = {
        visit,
        formats,
        store: type,
        hasExternalStore: externalStores(ctx).stores.length > 0,
        history: { states: config.historyStates, bytes: config.historyBytes },
        workspaces: visit.role === "owners" && site ? workspacesOf(site, visit.document) : [],
        canPin: site !== null && isSiteEditor(site),
        keptStates: retention?.states ?? null,
      };
      return await renderPage(c, <SettingsPage {...data} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

const SettingsPage: FC<SettingsData> = (data) => {
  const t = useTexts();
  const { visit, formats, history, keptStates, workspaces, canPin } = data;
  const { document, role, tables } = visit;
  const isOwner = role === "owners";
  const titles = Object.fromEntries(tables.map((table) => [table.id, tableTitle(t, table, tables)]));
  return (
    <DocumentPage visit={visit} page="settings" bundle="document-settings">
      {!isOwner && <p class="quiet">{t(role === "editors" ? "docSettings.editors" : "docSettings.viewers")}</p>}
      <div
        id="settings"
        data-document={document.uuid}
        data-name={document.name}
        data-titles={JSON.stringify(titles)}
        data-home={`${visit.prefix}/`}
      >
        <section class="card" aria-labelledby="general">
          <h2 id="general">{t("docSettings.general")}</h2>
          <TextSetting name="name" label={t("docSettings.name")} value={document.name} canChange={isOwner} />
          {workspaces.length > 1 ? (
            <SelectSetting
              name="workspace"
              label={t("docSettings.workspace")}
              value={String(document.workspace.id)}
              choices={workspaces}
              canChange
            />
          ) : (
            <ReadOnlySetting label={t("docSettings.workspace")} value={document.workspace.name} />
          )}
          <SelectSetting
            name="pin"
            label={t("docSettings.pin")}
            value={document.isPinned ? "yes" : "no"}
            choices={[
              { value: "no", label: t("docSettings.pin.no") },
              { value: "yes", label: t("docSettings.pin.yes") },
            ]}
            canChange={canPin}
          />
        </section>
        <Formats formats={formats} canChange={allows(role, "editors")} />
        <Storage {...data} isOwner={isOwner} />
        <History states={history.states} size={formatSize(t, history.bytes)} kept={keptStates} isOwner={isOwner} />
        {isOwner && <Timing />}
        {isOwner && <DangerZone sharing={`${visit.prefix}/docs/${document.uuid}/sharing`} />}
      </div>
    </DocumentPage>
  );
};
