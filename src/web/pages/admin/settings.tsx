import type { FC } from "hono/jsx";
import { effectiveSettings, type EffectiveSetting } from "../../../config.ts";
import { AdminPage, type AdminPageContext } from "./layout.tsx";

/** The settings that the server was started with, without the values of secrets. */
export function showSettings(visit: AdminPageContext): Response | Promise<Response> {
  const all = effectiveSettings(visit.c.env.call.config);
  const configured = all.filter(({ isGiven }) => isGiven);
  return visit.c.html(
    <AdminPage visit={visit} tab="Settings">
      <p class="quiet">Change settings with flags or environment variables, then restart the server.</p>
      <Settings id="given" title="Changed" settings={configured} />
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
      <p class="quiet">None.</p>
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
