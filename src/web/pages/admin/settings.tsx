import type { FC } from "hono/jsx";
import { effectiveSettings, type EffectiveSetting } from "../../../config.ts";
import { AdminPage, type AdminPageContext } from "./layout.tsx";

/** The settings that the server was started with; of secrets only that there are any. */
export function showSettings(visit: AdminPageContext): Response | Promise<Response> {
  const all = effectiveSettings(visit.c.env.call.config);
  const configured = all.filter(({ isGiven }) => isGiven);
  return visit.c.html(
    <AdminPage visit={visit} tab="Settings">
      <p class="quiet">
        As the server was started. They are changed by flags or in its environment, and hold from the next start on.
      </p>
      <Settings id="given" title="Set here" settings={configured} />
      <Settings id="defaults" title="Defaults" settings={all.filter(({ isGiven }) => !isGiven)} />
    </AdminPage>,
  );
}

const Settings: FC<{ id: string; title: string; settings: readonly EffectiveSetting[] }> = ({
  id,
  title,
  settings,
}) => (
  <section class="card" aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {settings.length === 0 ? (
      <p class="quiet">There are none.</p>
    ) : (
      <ul class="entries">
        {settings.map(({ env, value, about }) => (
          <li>
            <div class="what">
              <code class="name">{env}</code>
              <small>{about}</small>
            </div>
            <span class="amount">{value === null ? <em>set, not shown</em> : <code>{value}</code>}</span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
