import { AppError } from "../../errors.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { HomeConnection } from "../local-documents.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { listNodes, type NodeRow } from "../postgres/statements/nodes.ts";

export interface HomeUpgradeOptions {
  readonly database: LogDatabase;
  /** Version of the program. */
  readonly version: string;
  readonly log: Log;
}

/**
 * True when no living node has an older version of the program. A node that starts meanwhile is either seen here, or sees
 * the new schema.
 */
export const areAllAtLeast = (nodes: readonly Pick<NodeRow, "version" | "isAlive">[], version: string): boolean =>
  nodes.every((node) => !node.isAlive || Bun.semver.order(node.version, version) >= 0);

/** Migrates home on its owner, once all living nodes have at least its version: the others read the same schema. */
export class HomeUpgrade {
  readonly #options: HomeUpgradeOptions;
  readonly #home: HomeConnection;
  #isWaiting = false;
  #isRunning = false;

  constructor(options: HomeUpgradeOptions, home: HomeConnection) {
    this.#options = options;
    this.#home = home;
  }

  /** Migrates if necessary and possible. */
  async tryNow(isOwner: () => boolean): Promise<void> {
    const home = this.#home;
    if (this.#isRunning || home.version() >= home.usable.latest) return;
    this.#isRunning = true;
    const { database, version, log } = this.#options;
    try {
      const nodes = await listNodes(await database.control());
      if (!isOwner()) return;
      if (areAllAtLeast(nodes, version)) home.migrate();
      else if (!this.#isWaiting) log.info("cluster.home_upgrade_waits", { version });
      this.#isWaiting = true;
    } catch (error) {
      log.warn("cluster.home_upgrade_failed", { error: String(error) });
    } finally {
      this.#isRunning = false;
    }
  }

  /** @throws AppError `unavailable` with one sentence when this program cannot work with the schema as it is */
  requireUsable(): void {
    const { usable } = this.#home;
    const version = this.#home.version();
    if (version >= usable.oldest) return;
    throw new AppError(
      "unavailable",
      `The home database has version ${version}, and this program needs version ${usable.oldest}: nodes of an older version are running. Stop them, then start this one again.`,
    );
  }
}
