import type { FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import type { LogEntry } from "../../../lib/observability/log.ts";
import { listRecentProblems } from "../../../services/administration/recent-problems.ts";
import { Badge, EmptyState, TimeElement } from "../../base/components.tsx";
import { AdminPage, type AdminPageContext } from "./layout.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

/** The most recent warnings and errors of the log. */
export function showErrors(visit: AdminPageContext): Response | Promise<Response> {
  const { c, grant } = visit;
  const t = pageTexts(c);
  const problems = listRecentProblems(c.env.call.ctx, grant);
  return renderPage(
    c,
    <AdminPage visit={visit} tab="admin.tab.errors">
      <p class="quiet">{t("admin.errors.about")}</p>
      {problems.length === 0 ? (
        <EmptyState title={t("admin.errors.none")} icon="check">
          <p>{t("admin.errors.noneText")}</p>
        </EmptyState>
      ) : (
        <ul class="entries card">
          {problems.map((entry) => (
            <LogProblemItem entry={entry} />
          ))}
        </ul>
      )}
    </AdminPage>,
  );
}

const LogProblemItem: FC<{ entry: LogEntry }> = ({ entry: { at, level, event, fields } }) => {
  const t = useTexts();
  return (
    <li>
      <div class="what">
        <span class="name" translate="no">
          {event}
        </span>
        <Badge
          text={t(level === "error" ? "admin.errors.error" : "admin.errors.warning")}
          {...(level === "error" && { kind: "danger" })}
        />
        <small>
          <TimeElement at={isoTime(at)} as="time" />
        </small>
        {Object.keys(fields).length > 0 && (
          <dl class="fields" translate="no">
            {Object.entries(fields).map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>
                  <Value value={value} />
                </dd>
              </>
            ))}
          </dl>
        )}
      </div>
    </li>
  );
};

/** Renders a field; multi-line texts such as stack traces are folded after the first line. */
const Value: FC<{ value: unknown }> = ({ value }) => {
  const text = formatValue(value) ?? useTexts()("admin.errors.unreadable");
  const [first = "", ...rest] = text.split("\n");
  if (rest.length === 0) return <>{text}</>;
  return (
    <details>
      <summary>{first}</summary>
      <pre tabindex={0}>{rest.join("\n")}</pre>
    </details>
  );
};

function formatValue(value: unknown): string | null {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return null;
  }
}
