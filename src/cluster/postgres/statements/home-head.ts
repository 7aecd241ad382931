import { statement, type Connection, type RunOptions, type Session } from "../connection.ts";

/** The home database in the log: its last commit and its owner. */
export interface HomeHead {
  readonly head: number;
  /** The epoch of ownership. */
  readonly epoch: number;
  /** Whether the first content is in the log. */
  readonly hasContent: boolean;
  /** The owner; null when released. */
  readonly node: string | null;
  /** How peers reach the owner. */
  readonly address: string | null;
  /** False when the owner's lease has expired, or there is no owner. */
  readonly isOwnerAlive: boolean;
}

// Runs once per request: two look-ups by primary key.
const READ = statement<HomeHead>(
  "home_head",
  `select o.head, o.epoch, o.base_ref is not null as "hasContent", o.node, n.address,
    coalesce(n.lease_until > clock_timestamp(), false) as "isOwnerAlive"
  from quern.doc_owner o left join quern.node n on n.id = o.node
  where o.doc = 'home'`,
);

/** Returns the head of the home database; null before its first owner. */
export const readHomeHead = async (session: Session, options: RunOptions = {}): Promise<HomeHead | null> =>
  (await session.run(READ, [], options)).rows[0] ?? null;

/** As `readHomeHead`, for each request: takes half of the processor time. */
export async function pollHomeHead(connection: Connection, options: RunOptions = {}): Promise<HomeHead | null> {
  const fields = await connection.readFields(READ, options);
  if (!fields) return null;
  const [head, epoch, hasContent, node = null, address = null, isOwnerAlive] = fields;
  return {
    head: Number(head),
    epoch: Number(epoch),
    hasContent: hasContent === "t",
    node,
    address,
    isOwnerAlive: isOwnerAlive === "t",
  };
}
