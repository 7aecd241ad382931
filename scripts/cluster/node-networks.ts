/**
 * Networks of nodes that behave like machines of their own: each node is in a network namespace and has three links, to
 * PostgreSQL, to the other nodes and to clients. A link can be cut: packets are then lost silently, in both directions,
 * as when a cable is pulled or a switch fails.
 */

export type Link = "database" | "peers" | "clients";

/** How one node reaches others and is reached. */
export interface NodeNetwork {
  /** Command prefix of the node's process. */
  readonly under: readonly string[];
  /** Its address for clients, and for other nodes. */
  readonly clientHost: string;
  readonly peerHost: string;
  cut(link: Link): void;
  restore(link: Link): void;
}

export interface NodeNetworks extends Disposable {
  /** The address of PostgreSQL for nodes, and the range that their connections come from. */
  readonly database: { readonly address: string; readonly range: string };
  /** The address of this process for nodes: of a bucket, of webhook receivers. */
  readonly clientAddress: string;
  readonly nodes: readonly NodeNetwork[];
}

const LINKS: readonly Link[] = ["database", "peers", "clients"];
/** Third byte of the addresses of each link. */
const NETWORKS = { database: 0, peers: 1, clients: 2 } as const;

/** Returns the reason why this machine cannot create network namespaces; undefined if it can. */
export function networksMissing(): string | undefined {
  if (process.platform !== "linux") return "network namespaces require Linux";
  if (process.getuid?.() !== 0) return "network namespaces require root";
  if (Bun.which("ip") === null) return "the program ip is not installed (package iproute2)";
  try {
    createNodeNetworks(1)[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return `network namespaces cannot be made: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @throws Error where namespaces, bridges or pairs of interfaces cannot be made */
export function createNodeNetworks(count: number): NodeNetworks {
  // Names of interfaces have at most 15 characters.
  const id = Math.floor(Math.random() * 36 ** 4).toString(36);
  const second = 64 + Math.floor(Math.random() * 190);
  const hostOf = (link: Link, host: number) => `10.${second}.${NETWORKS[link]}.${host}`;
  const bridgeOf = (link: Link) => `q${id}${link[0]}`;
  const portOf = (link: Link, node: number) => `q${id}${link[0]}${node}`;
  const namespaceOf = (node: number) => `quern-${id}-${node}`;
  const all = Array.from({ length: count }, (_, index) => index + 1);

  const remove = () => {
    process.off("exit", remove);
    for (const node of all) Bun.spawnSync(["ip", "netns", "delete", namespaceOf(node)]);
    for (const link of LINKS) Bun.spawnSync(["ip", "link", "delete", bridgeOf(link)]);
  };
  process.on("exit", remove);

  const createLink = (node: number, link: Link) => {
    const [port, namespace] = [portOf(link, node), namespaceOf(node)];
    ip("link", "add", port, "type", "veth", "peer", "name", link, "netns", namespace);
    ip("link", "set", port, "master", bridgeOf(link), "up");
    ip("-n", namespace, "address", "add", `${hostOf(link, node + 1)}/24`, "dev", link);
    ip("-n", namespace, "link", "set", link, "up");
  };
  const createNode = (node: number): NodeNetwork => {
    ip("netns", "add", namespaceOf(node));
    ip("-n", namespaceOf(node), "link", "set", "lo", "up");
    for (const link of LINKS) createLink(node, link);
    return {
      under: ["ip", "netns", "exec", namespaceOf(node)],
      clientHost: hostOf("clients", node + 1),
      peerHost: hostOf("peers", node + 1),
      cut: (link) => ip("link", "set", portOf(link, node), "nomaster"),
      restore: (link) => ip("link", "set", portOf(link, node), "master", bridgeOf(link)),
    };
  };
  try {
    for (const link of LINKS) {
      ip("link", "add", bridgeOf(link), "type", "bridge");
      ip("address", "add", `${hostOf(link, 1)}/24`, "dev", bridgeOf(link));
      ip("link", "set", bridgeOf(link), "up");
    }
    return {
      database: { address: hostOf("database", 1), range: `${hostOf("database", 0)}/24` },
      clientAddress: hostOf("clients", 1),
      nodes: all.map(createNode),
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function ip(...args: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync(["ip", ...args], { stderr: "pipe" });
  if (!success) throw new Error(`ip ${args.join(" ")}: ${stderr.toString().trim()}`);
}
