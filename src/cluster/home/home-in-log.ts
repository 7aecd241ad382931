import type { AppError } from "../../errors.ts";
import type { HomeConnection } from "../local-documents.ts";

/** Reaches the owner of home. */
export interface HomeOwner {
  readonly node: string | null;
  readonly address: string | null;
  /** Epoch of ownership. */
  readonly epoch: number;
}

/** The home database in the log: of one server, or shared by the nodes of a cluster. */
export interface HomeInLog {
  /** True when the log had no content of home before `attach`. */
  readonly isNew: boolean;
  /** Takes the open database, and puts it into the log if the log has none. */
  attach(connection: HomeConnection): Promise<void>;
  isOwner(): boolean;
  /** Returns the last commit that a request may have seen and that is in the log. */
  seq(): number;
  /** As `Replication.freshHome`. */
  fresh(minSeq?: number): Promise<void>;
  /** Becomes the owner unless another living node is; returns whether this node is. */
  own(): Promise<boolean>;
  /** As `Replication.giveUpHome`. */
  giveUp(to: string | null): Promise<boolean>;
  /** Returns the owner, as far as this node knows; null when there is no living one. */
  owner(): HomeOwner | null;
  /** Why nothing can be answered from home now; null if it can. */
  refusal(): AppError | null;
  /** As `Replication.staleHomeRefusal`. */
  staleRefusal(): AppError | null;
  /** Rises whenever this server stops being the owner: what was read before may not be in the log. */
  readonly term: number;
  /** Counts a request that may use home, until the returned function is called. */
  use(): () => void;
  onChanged(listener: () => void): void;
  onOwner(listener: (isOwner: boolean) => void): void;
  /** Commits of this server are in the log. */
  acknowledged(): void;
  /** Another server may have committed. */
  notified(): void;
  /** This server is registered under a new node id. */
  registered(): void;
  /**
   * Ownership has ended; called before the file is used by anything else.
   * @param isComplete true if the log has all that was reported
   */
  stopped(options: { readonly isComplete: boolean }): void;
  /** A connection leads to another database, or to another history of it. */
  identityChanged(): void;
  /** Ends background work. The database is closed. Idempotent. */
  close(): void;
}
