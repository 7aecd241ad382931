import type { FC } from "hono/jsx";
import { effectiveSettings, type EffectiveSetting } from "../../../config.ts";
import { AdminPage, type AdminPageContext, Section } from "./layout.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

/** The settings that the server was started with, without the values of secrets. */
export function showSettings(visit: AdminPageContext): Response | Promise<Response> {
  const t = pageTexts(visit.c);
  const all = effectiveSettings(visit.c.env.call.config);
  const configured = all.filter(({ isGiven }) => isGiven);
  return renderPage(
    visit.c,
    <AdminPage visit={visit} tab="admin.tab.settings">
      <p class="quiet">{t("admin.settings.about")}</p>
      <Settings id="given" title={t("admin.settings.changed")} settings={configured} />
      <Settings id="defaults" title={t("admin.settings.defaults")} settings={all.filter(({ isGiven }) => !isGiven)} />
    </AdminPage>,
  );
}

const Settings: FC<{ id: string; title: string; settings: readonly EffectiveSetting[] }> = ({
  id,
  title,
  settings,
}) => {
  const t = useTexts();
  return (
    <Section id={id} title={title}>
      {settings.length === 0 ? (
        <p class="quiet">{t("admin.settings.none")}</p>
      ) : (
        <ul class="entries">
          {settings.map(({ env, value, about }) => (
            <li>
              <div class="what">
                <code class="name" translate="no">
                  {env}
                </code>
                {/* The documentation of settings is in English only. */}
                <small lang="en" translate="no">
                  {about}
                </small>
              </div>
              <span class="amount">
                {value === null ? <em>{t("admin.settings.secret")}</em> : <code translate="no">{value}</code>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};
