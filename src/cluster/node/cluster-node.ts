import type { AppError } from "../../errors.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { HOME } from "../local-documents.ts";
import { beforeChange } from "../log/refusals.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { findOwner, type Owner } from "../postgres/statements/ownership.ts";
import { type ForwardableRequest, Forwarder } from "../proxy/forwarder.ts";
import type { Hop } from "../proxy/hop.ts";
import { hashOfBody, PeerCalls } from "../proxy/peer-calls.ts";
import { HopReceiver } from "../proxy/receive.ts";
import type { Notifications } from "./notifications.ts";
import { Owners } from "./owners.ts";

/** What this node owns, and its home database; see `Replication`. */
export interface OwnedHere {
  /** The id of this node; null while it has no lease. */
  readonly nodeId: string | null;
  homeSeq(): number;
  freshHome(minSeq?: number): Promise<void>;
  staleHomeRefusal(): AppError | null;
  isHomeOwner(): boolean;
  ownHome(): Promise<boolean>;
  /** True while this node owns the document, and its local file is current. */
  isOwned(doc: string): boolean;
  /** Acquires a document; null when this node owns it. */
  own(doc: string): Promise<void> | null;
  /** As `OwnedDocuments.use`. */
  use(doc: string): (() => void) | null;
  /** As `OwnedDocuments.whenLeft`. */
  whenLeft(doc: string): Promise<void> | null;
}

export interface ClusterNodeOptions {
  readonly here: OwnedHere;
  readonly database: LogDatabase;
  readonly notifications: Notifications;
  /** The installation's secret for hops; null while home has none. */
  readonly secret: () => Uint8Array | null;
  readonly log: Log;
  readonly timers: Timers;
}

/** This node, among the others of its cluster: forwards requests to them, and receives theirs. */
export class ClusterNode {
  readonly peers: PeerCalls;
  readonly #here: OwnedHere;
  readonly #database: LogDatabase;
  readonly #owners: Owners;
  readonly #forwarder: Forwarder;
  readonly #receiver: HopReceiver;

  constructor({ here, database, notifications, secret, log, timers }: ClusterNodeOptions) {
    this.#here = here;
    this.#database = database;
    const nodeId = () => here.nodeId;
    this.#owners = new Owners({ find: (doc) => this.#findOwner(doc), nodeId });
    notifications.subscribe("quern_owner", (doc) => {
      if (doc === null) this.#owners.forgetAll();
      else this.#owners.forget(doc);
    });
    this.#forwarder = new Forwarder({
      owners: this.#owners,
      secret,
      homeSeq: () => here.homeSeq(),
      isOwned: (doc) => this.#isOwned(doc),
      own: (doc) => here.own(doc),
      ownHome: () => here.ownHome(),
      log,
      timers,
    });
    this.#receiver = new HopReceiver({ secret, nodeId });
    this.peers = new PeerCalls((hop) => this.#forwarder.sign(hop));
  }

  freshHome(minSeq?: number): Promise<void> {
    return this.#here.freshHome(minSeq);
  }

  staleHomeRefusal(): AppError | null {
    return this.#here.staleHomeRefusal();
  }

  async forward(doc: string, request: ForwardableRequest): Promise<{ response: Response; node: string } | null> {
    await this.#whenLeft(doc);
    return this.#forwarder.forward(doc, request);
  }

  /** Looks in PostgreSQL where this node does not know: the document may have been handed over to it just now. */
  async answersFor(doc: string): Promise<boolean> {
    await this.#whenLeft(doc);
    if (this.#isOwned(doc)) return true;
    const owner = await this.#findOwner(doc);
    if (owner === null || owner.node !== this.#here.nodeId) return false;
    if (doc === HOME) return this.#here.ownHome();
    await this.#here.own(doc);
    return true;
  }

  /** As `OwnedDocuments.use`. */
  use(doc: string): (() => void) | null {
    return this.#here.use(doc);
  }

  /** Requests that have waited for a document that this node handed over are forwarded without a look-up. */
  readonly handedOver = (doc: string, owner: Owner): void => this.#owners.setOwner(doc, owner);

  receive(request: Request): Hop | "invalid" | "misdirected" | null {
    return this.#receiver.receive(request);
  }

  answerCall(name: string, body: Uint8Array, { bodyHash }: Pick<Hop, "bodyHash">): Promise<unknown> | null {
    const handler = this.peers.handler(name);
    if (!handler || bodyHash !== hashOfBody(body)) return null;
    return handler(JSON.parse(Buffer.from(body).toString()));
  }

  /** @throws AppError `log.unavailable`, also when the connection ends meanwhile */
  async #findOwner(doc: string): Promise<Owner | null> {
    try {
      return await findOwner(await this.#database.control(), doc);
    } catch (error) {
      throw beforeChange(error);
    }
  }

  /** Requests for a document that is leaving wait until it has left: then they are forwarded. */
  async #whenLeft(doc: string): Promise<void> {
    for (let leaving = this.#here.whenLeft(doc); leaving; leaving = this.#here.whenLeft(doc)) await leaving;
  }

  #isOwned(doc: string): boolean {
    return doc === HOME ? this.#here.isHomeOwner() : this.#here.isOwned(doc);
  }
}
