/** What `Replication` consists of, and how it starts. */
import type { Log } from "../lib/observability/log.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { HomeInLog } from "./home/home-in-log.ts";
import { ReplicaFile } from "./home/replica-file.ts";
import { SharedHome } from "./home/shared-home.ts";
import { SoleHome } from "./home/sole-home.ts";
import { lockFileOf, openInstallation, releasePredecessor } from "./joining.ts";
import { type Gate, observedGate } from "./log/gate.ts";
import { OwnedDocuments } from "./log/owned-documents.ts";
import { divergedFolderOf, homeFiles, markReplica, writeInstallationId, writeNode } from "./log-folder.ts";
import { HOME, localDocuments, type OpenFiles } from "./local-documents.ts";
import { DocumentMoves } from "./node/document-moves.ts";
import { NodeSession, readBootId } from "./node/node-session.ts";
import type { LogDatabase } from "./postgres/log-database.ts";
import type { ContentCount, DatabaseIdentity } from "./protocol/log-types.ts";

/** This server as a node of a cluster. */
export interface NodeOptions {
  /** How the other nodes reach this one; null while that is not known. */
  readonly address: string | null;
  /** Whether requests are refused at once while PostgreSQL cannot be reached. */
  readonly isStrict: boolean;
  /** Documents that have not been used for so long are released. */
  readonly idleMs: number;
}

export interface ReplicationOptions {
  /** URL of the database. */
  readonly url: string;
  /** The data folder, which the caller has locked. */
  readonly folder: string;
  readonly retentionMs: number;
  /** Accepts a folder that has documents when the log has none, and one that belongs to another installation. */
  readonly adopts: boolean;
  /** Null for the only server of a log. */
  readonly node: NodeOptions | null;
  readonly version: string;
  readonly log: Log;
  readonly timers: Timers;
  readonly homeFile: string;
  /** As `InstallationChoice.installationOfHome`. */
  readonly installationOfHome: () => string | null;
  readonly fileOf: (uuid: string) => string;
  readonly gate: Gate;
  /** Recovers a closed or crashed file into a single one, and returns its change counter; null without a counter. */
  readonly recover: (path: string) => ContentCount | null;
  /** Prepares a closed file for log mode and returns its count, which follows its former one. */
  readonly prepare: (path: string) => ContentCount;
}

/** What `Replication` consists of. */
export interface ReplicationParts {
  readonly database: LogDatabase;
  readonly session: NodeSession;
  readonly owned: OwnedDocuments;
  readonly home: HomeInLog;
  /** Null for the only server of a log. */
  readonly moves: DocumentMoves | null;
}

/** What the parts need of the whole, which exists after them. */
interface Whole {
  readonly open: () => OpenFiles | null;
  readonly onHomeAcknowledged: (seq: number) => void;
  readonly collectHome: () => void;
}

/** Connects, registers this server, and prepares home. @throws AppError with one sentence; then nothing has changed */
export async function startParts(options: ReplicationOptions, whole: Whole): Promise<ReplicationParts> {
  const { folder, log, timers, version, node } = options;
  const started: { session?: NodeSession; owned?: OwnedDocuments; home?: HomeInLog } = {};
  const onIdentity = (identity: DatabaseIdentity) => {
    // Most connections lead to the database that is known.
    if (started.owned?.setIdentity(identity)) started.home?.identityChanged();
  };
  const database = await openInstallation(options, onIdentity);
  try {
    writeInstallationId(folder, database.tables.id);
    const bootId = readBootId();
    const place = { bootId, lockFile: lockFileOf(folder) };
    await releasePredecessor(database, folder, place);
    const session = await NodeSession.start({
      database,
      address: node?.address ?? null,
      version,
      bootId,
      timers,
      log,
      onValidity: (isValid) => started.owned?.setLeaseValid(isValid),
      onLost: () => started.owned?.loseAll(),
      onRegistered: (id) => {
        writeNode(folder, { node: id, place });
        started.home?.registered();
      },
    });
    started.session = session;
    const local = localDocuments(options, {
      open: whole.open,
      onHomeStopped: (stopped) => started.home?.stopped(stopped),
      collectHome: whole.collectHome,
    });
    const gate = observedGate(options.gate, (doc, { seq }) => {
      if (doc === HOME) whole.onHomeAcknowledged(seq);
    });
    const nodeId = () => session.id;
    const isLeaseValid = () => session.isValid();
    const shared = { database, bootId, timers, log, divergedFolder: divergedFolderOf(folder), nodeId };
    const isHomeOwner = () => started.home?.isOwner() ?? false;
    const moves = node && new DocumentMoves({ ...shared, isHomeOwner, idleMs: node.idleMs });
    const { retentionMs } = options;
    const owned = new OwnedDocuments({ ...shared, local, gate, isLeaseValid, retentionMs, sharing: moves?.sharing });
    started.owned = owned;
    const keptOpen = () => local.keptOpen?.(HOME) ?? null;
    const file = new ReplicaFile({
      ...shared,
      files: homeFiles(options.homeFile),
      recover: options.recover,
      keptOpen,
    });
    const home = node
      ? await SharedHome.prepare({ ...shared, owned, file, version, isStrict: node.isStrict })
      : await SoleHome.prepare({ ...shared, owned });
    started.home = home;
    if (node) {
      // Also after a crash of an owner; `attach` may make this server the owner.
      markReplica(folder, true);
      home.onOwner((isOwner) => markReplica(folder, !isOwner));
    } else markReplica(folder, false);
    return { database, session, owned, home, moves };
  } catch (error) {
    await started.session?.close();
    await database.close();
    throw error;
  }
}
