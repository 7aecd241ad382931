/** Connects the replicated log with home and the documents. */
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { DocumentServices } from "../cluster/node/document-moves.ts";
import type { NodeOptions, Replication } from "../cluster/replication.ts";
import { newSnapshotId, type Snapshots } from "../backup/snapshots.ts";
import type { Config } from "../config.ts";
import { logUrlOf } from "../config/cluster-settings.ts";
import { bucketSettings } from "./buckets-and-backups.ts";
import { HOME_FILE } from "../home/home-upgrade.ts";
import { readInstallationIdOf } from "../home/installation-id.ts";
import { type LoggedContents, partsOfLoggedContents } from "../files/attachment-stores.ts";
import type { Home } from "../home/home.ts";
import { INSTALLATION_SECRETS } from "../home/secrets.ts";
import type { ChangeNotifier } from "../hosts/change-notifier.ts";
import type { Documents } from "../hosts/documents.ts";
import { AnswerGate } from "../hosts/answer-gate.ts";
import type { DocumentRuntime } from "../hosts/document-runtime.ts";
import { documentFile } from "../hosts/files/document-files.ts";
import type { FileReplacements } from "../hosts/stored-documents.ts";
import { VERSION } from "../lib/build.ts";
import { serverAddress } from "../lib/network/server-address.ts";
import type { Log } from "../lib/observability/log.ts";
import { systemClock } from "../lib/time/clock.ts";
import { systemTimers, type Timers } from "../lib/time/timers.ts";
import { type DeliverNotes, writeNotes, type WriteNotes } from "../services/notes.ts";
import type { Cluster } from "../services/cluster.ts";
import { systemGrant, temporaryGrant } from "../services/access/guards.ts";
import type { Context, RequestLog } from "../services/context.ts";
import { readCommitCount, recoverFile } from "../sqlite/wal/commit-count.ts";

/** A replicated log, before the data folder is opened. */
export interface StartedReplication {
  readonly replication: Replication;
  readonly gate: AnswerGate;
  /** Where attachments are stored outside of documents. */
  readonly contents: LoggedContents;
  /** Snapshots in a cluster; null if they are in the data folder. */
  readonly snapshots: Snapshots | null;
  readonly replacements: FileReplacements;
  /** Connects this server with the other nodes; null without a cluster. */
  readonly joinCluster: ((home: Home) => Cluster) | null;
}

/**
 * Connects to the log of the settings and prepares the home database; null without a log. The folder is locked.
 * @throws AppError with one sentence; then nothing has changed
 */
export async function startReplication(
  config: Config,
  { log, timers = systemTimers, adopts }: { log: Log; timers?: Timers; adopts: boolean },
): Promise<StartedReplication | null> {
  const { data: folder, logRetention: retentionMs } = config;
  const url = logUrlOf(config);
  if (url === null) return null;
  const { Replication } = await import("../cluster/replication.ts");
  const { prepareForLog } = await import("../doc/prepare-for-log.ts");
  const holder: { replication?: Replication } = {};
  const gate = new AnswerGate((uuid) => holder.replication?.refusalOf(uuid) ?? null);
  const replication = await Replication.start({
    url,
    folder,
    retentionMs,
    adopts,
    version: VERSION,
    node: nodeOptions(config),
    log,
    timers,
    homeFile: join(folder, HOME_FILE),
    installationOfHome: () => readInstallationIdOf(join(folder, HOME_FILE)),
    fileOf: (uuid) => documentFile(folder, uuid),
    gate,
    recover: recoverFile,
    prepare: (path) => prepareForLog(path, { seq: (readCommitCount(path)?.seq ?? 0) + 1 }),
  });
  holder.replication = replication;
  const parts = partsOfLoggedContents(bucketSettings(config));
  const contents = replication.contents(parts);
  const { moveLocalContents } = await import("../cluster/contents/local-contents.ts");
  const { storeIds: ids, isContentName } = parts;
  await moveLocalContents({ folder, contents, ids, isContentName, log });
  const snapshots = await snapshotsOf(config, replication);
  const replacements: FileReplacements = {
    nextSeq(uuid) {
      const seq = replication.nextSeq(uuid);
      snapshots?.replacing(uuid, seq - 1);
      return seq;
    },
    onFileReplaced: replication.onFileReplaced,
  };
  return {
    replication,
    gate,
    contents,
    snapshots,
    replacements,
    joinCluster: await joinOf(replication, { log, timers }),
  };
}

/** Data folders of a cluster are caches: any node may be lost with its own. */
async function snapshotsOf({ snapshotsKeep: keep }: Config, { isNode, database }: Replication) {
  if (!isNode) return null;
  const { LoggedSnapshots } = await import("../cluster/restore/logged-snapshots.ts");
  return new LoggedSnapshots({ database, keep, now: () => systemClock.now(), newId: newSnapshotId });
}

async function joinOf(
  replication: Replication,
  options: { readonly log: Log; readonly timers: Timers },
): Promise<StartedReplication["joinCluster"]> {
  const { notifications } = replication;
  if (!notifications) return null;
  const { joinCluster } = await import("./cluster.ts");
  return (home) => joinCluster({ home, replication, notifications, ...options });
}

/** Opens the attachments in the log for reading; null without a log. @throws AppError with one sentence */
export async function openLoggedContents(config: Config) {
  const url = logUrlOf(config);
  if (url === null) return null;
  const { openLogContents } = await import("../cluster/contents/open-contents.ts");
  return openLogContents(url, partsOfLoggedContents(bucketSettings(config)));
}

/** What the log needs of this server. */
export interface LoggedServer {
  readonly config: Config;
  readonly home: Home;
  readonly runtime: DocumentRuntime;
  readonly documents: Documents;
  readonly signals: ChangeNotifier;
  readonly webhooks: Context["webhooks"];
  readonly jobs: Context["jobs"];
}

/** Opens the documents of a cluster for reading; null without one. @throws AppError with one sentence */
export async function openLoggedDocuments({ cluster }: Config) {
  if (cluster === null) return null;
  const { LoggedDocuments } = await import("../cluster/restore/logged-documents.ts");
  return LoggedDocuments.open(cluster);
}

/** Returns the log as requests see it. */
export const requestLog = (replication: Replication, server: LoggedServer): RequestLog => ({
  async attach() {
    const { home, runtime } = server;
    const { log, replaceContent, setWritable, version, usable, installationId } = home;
    if (!log) throw new Error("the home database is not in log mode");
    const createSecrets = () => {
      // An older schema has no place for them until it is migrated.
      if (version() < usable.oldest) return;
      for (const name of INSTALLATION_SECRETS) home.secrets.create(name);
      if (replication.isNode) home.secrets.create("hop");
    };
    replication.onHomeOwner((isOwner) => isOwner && createSecrets());
    const migrate = () => {
      home.migrate();
      createSecrets();
    };
    const connection = { log, replaceContent, setWritable, version, usable, migrate, installationId };
    await replication.attach(connection, runtime, {
      uuids: () => home.documents.allUuids(),
      services: documentServices(server),
    });
    if (!replication.isNode) createSecrets();
  },
  async listening(port) {
    const { config } = server;
    if (!replication.isNode || config.clusterAddress !== null || config.port !== 0) return;
    await replication.setAddress(ownAddress({ ...config, port }) ?? "");
  },
  refusal: () => replication.refusal(),
  useHome() {
    const term = replication.homeTerm();
    return { settled: () => replication.settled(term), end: replication.useHome() };
  },
  isHomeOwner: () => replication.isHomeOwner(),
  onHomeOwner: (listener) => replication.onHomeOwner(listener),
  onHomeChanged: (listener) => replication.onHomeChanged(listener),
  async findDeleted(uuids) {
    const { findDeletedDocuments } = await import("../cluster/postgres/statements/retention.ts");
    return findDeletedDocuments(await replication.database.control(), uuids);
  },
  onDeleted: (listener) => replication.notifications?.subscribe("quern_deleted", listener),
  async describeCluster() {
    const { readClusterStatus } = await import("../cluster/postgres/read-cluster-status.ts");
    const { nodes, documents, standbys } = await readClusterStatus(await replication.database.control());
    const { nodeId: thisNode, isNode: isCluster } = replication;
    return { thisNode, isCluster, nodes, documents, isSynchronous: standbys.isSynchronous };
  },
  isDraining: () => replication.moves?.isDraining ?? false,
  drain: () => replication.drain(),
  close: () => replication.close(),
});

/** What documents need of this server when they move between nodes. */
const documentServices = ({ home, runtime, documents, signals, webhooks, jobs }: LoggedServer): DocumentServices => ({
  warmUp: (threads) => runtime.warmUp(temporaryGrant("warm-up"), { threads }),
  async open(uuid) {
    const grant = systemGrant(home, uuid);
    if (grant) await documents.call(grant, "document.mayCopy", null);
  },
  isInUse: (uuid) =>
    runtime.isOpen(uuid) || signals.hasSubscribers(uuid) || webhooks.isDelivering(uuid) || jobs.isActive(uuid),
  isStreaming: (uuid) => runtime.isStreaming(uuid),
  deliveries: {
    // At once, by any clock.
    dueAtMs: (uuid) => (home.webhooks.has(uuid) || jobs.isActive(uuid) ? 0 : null),
    acquired(uuid) {
      if (home.webhooks.has(uuid)) webhooks.wake(uuid);
      // The former owner may have left unfinished jobs.
      jobs.wake(uuid);
    },
    leaving(uuid) {
      // Clients connect again, to the next owner.
      signals.emit(uuid, "stopping");
      const deliveriesDueInMs = webhooks.leave(uuid);
      return jobs.leave(uuid) ?? deliveriesDueInMs;
    },
  },
});

/** Returns what writes notes: here, or on the node that owns the home database. */
export const noteWriter =
  (home: Home, replication: Replication | null): WriteNotes =>
  (notes) => {
    if (replication === null || replication.isHomeOwner()) writeNotes(home, notes);
    else replication.sendNotes(notes);
  };

/** Like `noteWriter`, for notes that are sent again until they are written. */
export const noteDeliverer =
  (home: Home, replication: Replication | null): DeliverNotes =>
  async (notes) => {
    if (replication === null || replication.isHomeOwner()) writeNotes(home, notes);
    else await replication.deliverNotes(notes);
  };

/** Returns how this server takes part in a cluster; null without one. */
function nodeOptions({
  cluster,
  clusterAddress,
  clusterStrict,
  docIdleMs: idleMs,
  ...listening
}: Config): NodeOptions | null {
  if (cluster === null) return null;
  return { address: clusterAddress ?? ownAddress(listening), isStrict: clusterStrict === "1", idleMs };
}

/** Returns the address at which other machines reach this server; null while its port is unknown. */
function ownAddress({ host, port, tlsCert }: Pick<Config, "host" | "port" | "tlsCert">): string | null {
  if (port === 0) return null;
  const isAny = host === "0.0.0.0" || host === "::";
  const first = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && (host === "::" || family === "IPv4"));
  return serverAddress({ isTls: tlsCert !== null, host: isAny ? (first?.address ?? "127.0.0.1") : host, port });
}
