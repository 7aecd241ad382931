import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import type { ClusterDescription, ClusterNode } from "../../../services/administration/cluster-description.ts";
import { describeNodes } from "../../../services/administration/nodes.ts";
import { Badge, Name, TimeElement } from "../../base/components.tsx";
import { formatDuration } from "../../base/durations.ts";
import { ErrorPage, errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { AdminPage, type AdminPageContext } from "./layout.tsx";

/** The nodes that share the replicated log. */
export async function showNodes(visit: AdminPageContext): Promise<Response> {
  const { c, grant } = visit;
  const { ctx } = c.env.call;
  const t = pageTexts(c);
  try {
    const cluster = await describeNodes(ctx, grant);
    return await renderPage(
      c,
      <AdminPage visit={visit} tab="admin.tab.nodes">
        <Summary cluster={cluster} />
        <LivingNodes cluster={cluster} />
        {cluster.isCluster && <LostNodes nodes={cluster.nodes.filter(({ isAlive }) => !isAlive)} />}
      </AdminPage>,
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const status = errorPageStatus(c, error);
    if (status !== 404) {
      const problem = errorPageText(t, error);
      return renderPage(c, <AdminPage visit={visit} tab="admin.tab.nodes" problem={problem} />, status);
    }
    const page = <ErrorPage title={t("problem.notFound.title")} text={t("problem.notFound.text")} user={grant.actor} />;
    return renderPage(c, page, status);
  }
}

const STANDBY_TEXTS = {
  true: "admin.nodes.standby.yes",
  false: "admin.nodes.standby.no",
  null: "admin.nodes.standby.unknown",
} as const;

const Summary: FC<{ cluster: ClusterDescription }> = ({ cluster: { nodes, documents, isSynchronous } }) => {
  const t = useTexts();
  const owner = nodes.find(({ isAlive, ownsHome }) => isAlive && ownsHome);
  const { total, withoutOwner } = documents;
  return (
    <section class="card" aria-labelledby="summary-title">
      <h2 id="summary-title">{t("admin.nodes.summary")}</h2>
      <dl>
        <dt>{t("admin.nodes.homeOwner")}</dt>
        <dd>{owner ? <NodeName node={owner} /> : t("admin.nodes.noOwner")}</dd>
        <dt>{t("admin.nodes.documents")}</dt>
        <dd>
          {withoutOwner === 0
            ? t.number(total)
            : t("admin.nodes.documentsWithoutOwner", { total, count: withoutOwner })}
        </dd>
        <dt>{t("admin.nodes.standby")}</dt>
        <dd>{t(STANDBY_TEXTS[`${isSynchronous}`])}</dd>
      </dl>
    </section>
  );
};

const LivingNodes: FC<{ cluster: ClusterDescription }> = ({ cluster: { nodes, thisNode } }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="nodes-title">
      <h2 id="nodes-title">{t("admin.nodes.nodes")}</h2>
      <ul class="entries">
        {nodes
          .filter(({ isAlive }) => isAlive)
          .map((node) => (
            <LivingNode node={node} isThis={node.id === thisNode} />
          ))}
      </ul>
    </section>
  );
};

const LivingNode: FC<{ node: ClusterNode; isThis: boolean }> = ({ node, isThis }) => {
  const t = useTexts();
  const { id, version, startedAtMs, leaseRemainingMs, pendingCommits, documents, ownsHome, isDraining } = node;
  const details = {
    id: <Name text={id} />,
    version: <Name text={version} />,
    time: <TimeElement at={isoTime(startedAtMs)} />,
    lease: formatDuration(t, leaseRemainingMs),
  };
  return (
    <li>
      <div class="what">
        <span class="name">
          <NodeName node={node} />
        </span>
        {isThis && <Badge text={t("admin.nodes.this")} kind="good" />}
        {ownsHome && <Badge text={t("admin.nodes.home")} />}
        {isDraining && <Badge text={t("admin.nodes.draining")} kind="danger" />}
        <small>{t.rich("admin.nodes.details", details)}</small>
        <small>
          {pendingCommits === 0 ? t("admin.nodes.upToDate") : t("admin.nodes.pending", { count: pendingCommits })}
        </small>
      </div>
      <span class="amount">{t("admin.nodes.owned", { count: documents })}</span>
    </li>
  );
};

const LostNodes: FC<{ nodes: readonly ClusterNode[] }> = ({ nodes }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="lost-title">
      <h2 id="lost-title">{t("admin.nodes.failovers")}</h2>
      <p class="quiet">{t(nodes.length === 0 ? "admin.nodes.noFailovers" : "admin.nodes.failoversAbout")}</p>
      {nodes.length > 0 && (
        <ul class="entries">
          {nodes
            .toSorted((a, b) => (b.lostAtMs ?? 0) - (a.lostAtMs ?? 0))
            .map((node) => (
              <LostNode node={node} />
            ))}
        </ul>
      )}
    </section>
  );
};

const LostNode: FC<{ node: ClusterNode }> = ({ node }) => {
  const t = useTexts();
  const { id, version, lostAtMs, startedAtMs, documents } = node;
  const details = {
    id: <Name text={id} />,
    version: <Name text={version} />,
    time: <TimeElement at={isoTime(lostAtMs ?? startedAtMs)} />,
  };
  return (
    <li>
      <div class="what">
        <span class="name">
          <NodeName node={node} />
        </span>
        <small>{t.rich("admin.nodes.lost", details)}</small>
      </div>
      <span class="amount">
        {documents === 0 ? t("admin.nodes.taken") : t("admin.nodes.remaining", { count: documents })}
      </span>
    </li>
  );
};

/** People know nodes by their addresses; ids are new with every start. */
const NodeName: FC<{ node: ClusterNode }> = ({ node: { address } }) => {
  const t = useTexts();
  return address === null ? <>{t("admin.nodes.noAddress")}</> : <Name text={address.replace(/^http:\/\//, "")} />;
};
