/** Several nodes of one installation, and their PostgreSQL, for scripts that measure or check a cluster from outside. */
import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HAS_POSTGRES, PostgresServer } from "../postgres-server.ts";
import { EXECUTABLE } from "../running-server.ts";
import { createApi } from "../stress/load/api.ts";
import { FRIEND } from "../stress/log/token-writers.ts";
import { ClusterNode } from "./cluster-node.ts";
import { createNodeNetworks, networksMissing, type NodeNetworks } from "./node-networks.ts";

export interface ClusterSiteOptions {
  readonly nodes: number;
  /** Gives each node a network of its own, whose links can be cut; where this is impossible they share the loopback address. */
  readonly hasNetworks?: boolean;
  /** Lets the wall clock of each node be shifted; needs a C compiler. */
  readonly hasClocks?: boolean;
  readonly executable?: readonly string[];
  /** Settings of all nodes; `host` is the address of this process for them. */
  readonly settings?: (host: string) => Readonly<Record<string, string>>;
  /** Command prefix of each node. */
  readonly under?: (index: number) => readonly string[];
}

export interface ClusterSite extends AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly database: string;
  readonly nodes: readonly ClusterNode[];
  /** The key of the owner of everything, an administrator. */
  readonly key: string;
  /** Null where the nodes share the loopback address. */
  readonly networks: NodeNetworks | null;
  /** The address of this process for nodes. */
  readonly host: string;
  /** Runs a statement in the database of the log. */
  query<Row>(text: string): Promise<Row[]>;
  /** Returns the node whose lease is valid and that owns the document, or home (`home`). */
  ownerOf(doc: string): Promise<ClusterNode | null>;
  /**
   * Spreads documents over the nodes in turn: restarts all nodes, so that no document has an owner, and requests each from
   * another node.
   */
  spread(documents: readonly string[]): Promise<void>;
}

/** Whose key it is. */
const OWNER = "site-owner@example.com";

/** No limit of requests and no log of them: all load comes from one key. */
const SETTINGS = { QUERN_LOG_LEVEL: "warn", QUERN_MAX_PARALLEL: "0" };

export const clusterMissing = (): string | undefined =>
  HAS_POSTGRES ? undefined : "PostgreSQL is not installed (package postgresql)";

/** Starts all nodes; the owner with their key exists, and the user with whom documents are shared. */
export async function startClusterSite(options: ClusterSiteOptions): Promise<ClusterSite> {
  const { nodes: count, hasNetworks = false, hasClocks = false, executable = [EXECUTABLE], settings } = options;
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "quern-cluster-"));
  // Beside the other folder: PostgreSQL runs as another user.
  const postgresFolder = await mkdtemp(join(tmpdir(), "quern-cluster-postgres-"));
  started.defer(async () => {
    for (const path of [folder, postgresFolder]) await rm(path, { recursive: true, force: true });
  });
  const networks = hasNetworks && networksMissing() === undefined ? started.use(createNodeNetworks(count)) : null;
  const host = networks?.clientAddress ?? "127.0.0.1";
  const network = networks?.database;
  const postgres = started.use(await PostgresServer.start({ folder: postgresFolder, ...(network && { network }) }));
  const database = "quern_cluster";
  await postgres.query(`create database ${database}`);
  const logUrl = (applicationName: string) => {
    const url = new URL(postgres.url(database));
    if (network) url.hostname = network.address;
    url.searchParams.set("application_name", applicationName);
    return url.href;
  };
  const nodes = Array.from({ length: count }, (_, index) => {
    const name = `node-${index + 1}`;
    mkdirSync(join(folder, name));
    return new ClusterNode({
      name,
      folder: join(folder, name),
      network: networks?.nodes[index],
      executable,
      under: options.under?.(index) ?? [],
      settings: { ...SETTINGS, ...settings?.(host) },
      logUrl,
      hasClock: hasClocks,
    });
  });
  for (const node of nodes) started.defer(() => node.kill());
  const [first, ...others] = nodes;
  if (!first) throw new Error("a cluster has at least one node");
  await first.start();
  await first.command("user", "add", "--email", OWNER, "--name", "Owner", "--admin");
  await first.command("user", "add", "--email", FRIEND, "--name", "Friend");
  const { key } = await first.command<{ key: string }>("key", "create", "--email", OWNER);
  await Promise.all(others.map((node) => node.start()));
  const resources = started.move();
  const query = <Row>(text: string) => postgres.query<Row>(text, { database });
  const ownerOf = async (doc: string) => {
    const [owner] = await query<{ address: string }>(
      `select n.address from quern.doc_owner o join quern.node n on n.id = o.node
       where o.doc = '${doc}' and n.lease_until > clock_timestamp()`,
    );
    return nodes.find(({ peerAddress }) => peerAddress === owner?.address) ?? null;
  };
  const spread = async (documents: readonly string[]) => {
    await Promise.all(nodes.map((node) => node.stop()));
    for (const node of nodes) await node.start();
    for (const [index, doc] of documents.entries()) {
      const node = nodes[index % nodes.length] ?? first;
      await createApi(node.address, key).send("GET", `/docs/${doc}/tables`);
      const owner = await ownerOf(doc);
      if (owner !== node) throw new Error(`${owner?.name ?? "no node"} owns a document that ${node.name} opened`);
    }
  };
  return {
    postgres,
    database,
    nodes,
    key,
    networks,
    host,
    query,
    ownerOf,
    spread,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
