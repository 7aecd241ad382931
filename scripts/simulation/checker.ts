import type { Content } from "./content.ts";
import type { Database, Key, OwnerRow } from "./database.ts";
import { hasChunks, HOME } from "./statements.ts";

/** A violated guarantee: the simulation ends. */
export class Violation extends Error {}

/** Holds everything that happens against the guarantees. It sees all machines at once, and true time. */
export class Checker {
  readonly #database: Database;
  readonly #empty: (document: string) => Content;
  readonly #readers: (document: string) => readonly string[];
  readonly #epochs = new Map<string, number>();
  /** The content of each log after the last commit. */
  readonly #log = new Map<string, Content>();
  /** The newest content that an answer showed, as long as the log has it. */
  readonly #seen = new Map<string, Content>();
  /** The logged content of each token. */
  readonly #tokens = new Map<number, Content>();
  /** Documents without a row; a failover may bring it back. */
  readonly #deleted = new Set<string>();
  readonly #refused = new Set<number>();
  readonly #lost = new Set<Content>();
  #acknowledged: (readonly [document: string, content: Content])[] = [];
  readonly figures = {
    acknowledged: 0,
    reads: 0,
    lost: 0,
    diverged: 0,
    takeOvers: 0,
    handOvers: 0,
    begunHandOvers: 0,
    failovers: 0,
    deletions: 0,
  };

  /** @param readers Node ids of the processes that would answer reads of a document now. */
  constructor(
    database: Database,
    empty: (document: string) => Content,
    readers: (document: string) => readonly string[],
  ) {
    this.#database = database;
    this.#empty = empty;
    this.#readers = readers;
  }

  /** The content at the head of a document's log. */
  logContent(document: string): Content {
    return this.#log.get(document) ?? this.#empty(document);
  }

  /** After a commit in PostgreSQL. */
  committed(keys: readonly Key[]): void {
    for (const key of keys) {
      const [table, document = "", part = ""] = key.split(" ");
      if (table === "owner") this.#checkOwner(document, keys);
      else if (table === "blob" && !this.#database.get(key)) this.#checkDeletedBlob(document, part);
    }
  }

  /** After PostgreSQL lost commits. */
  failedOver(): void {
    this.figures.failovers++;
    for (const [document, before] of this.#log) {
      if (this.#database.get(`owner ${document}`)) this.#deleted.delete(document);
      else if (this.#deleted.has(document)) continue;
      const now = this.#contentAtHead(document);
      this.#log.set(document, now);
      const seen = this.#seen.get(document);
      if (seen && !now.includes(seen)) this.#seen.set(document, now.includes(seen) ? seen : common(seen, now));
      for (const content of before.since(now)) {
        this.#lost.add(content);
        if (content.isAcknowledged) this.figures.lost++;
      }
    }
  }

  /** A client sends a request: its answer must show at least what is returned. */
  invoked(document: string): Content {
    return this.#seen.get(document) ?? this.#empty(document);
  }

  /** The owner's answer leaves: positive, with this content. */
  answered(document: string, content: Content, isWrite: boolean): void {
    if (!content.wasLogged) throw new Violation(`an answer about ${document} shows a commit that is not in the log`);
    if (!isWrite) {
      this.figures.reads++;
      return;
    }
    this.figures.acknowledged++;
    content.isAcknowledged = true;
    this.#acknowledged.push([document, content]);
  }

  /** The client has a positive answer. */
  completed(document: string, content: Content, invoked: Content): void {
    const log = this.logContent(document);
    // Lost by PostgreSQL: answers of before the failover may still arrive.
    if (!log.includes(content) || !log.includes(invoked)) return;
    if (!content.includes(invoked))
      throw new Violation(`stale answer about ${document}: ${invoked.depth} was seen before ${content.depth}`);
    const seen = this.invoked(document);
    if (content.includes(seen)) this.#seen.set(document, content);
  }

  /** The write was refused: it must not happen. */
  refused(token: number): void {
    this.#refused.add(token);
    if (this.#tokens.has(token)) throw new Violation(`the write ${token} was refused and is in the log`);
  }

  /** A folder no longer has `before`, but `after`, as its file of the document. */
  replaced(document: string, before: Content, after: Content | null): void {
    if (after?.includes(before)) return;
    const log = this.logContent(document);
    for (const content of before.since(log)) {
      if (content.isAcknowledged && !(after?.includes(content) ?? false)) {
        throw new Violation(
          `a local file of ${document} was discarded although the log has lost acknowledged writes of it`,
        );
      }
    }
  }

  /** An owner found that the log lost `acknowledged`, the content that it knows to be in the log. */
  checkAlarm(document: string, acknowledged: Content | null): void {
    if (acknowledged && this.logContent(document).includes(acknowledged)) {
      throw new Violation(`the owner of ${document} stopped although the log has everything`);
    }
  }

  /** A local file that is used again without a commit of its own. */
  opened(document: string, content: Content): void {
    if (!content.wasLogged) throw new Violation(`${document} was opened with a content that was never in the log`);
  }

  #checkOwner(document: string, keys: readonly Key[]): void {
    const owner = this.#database.get(`owner ${document}`);
    if (!owner) return this.#checkDeletedDocument(document);
    this.#checkTakeOver(document, owner);
    const before = this.logContent(document);
    const now = this.#contentAtHead(document);
    if (!now.includes(before)) throw new Violation(`the log of ${document} lost rows: ${before.depth} → ${now.depth}`);
    this.#log.set(document, now);
    for (const content of now.since(before)) this.#logged(content);
    let isPruned = false;
    for (const key of keys) {
      if (key.startsWith("log ")) {
        const row = this.#database.get(key as `log ${string}`);
        if (!row) isPruned = true;
        else if (row.epoch !== owner.epoch || row.node !== owner.node) {
          throw new Violation(
            `${document} has a row of ${row.node} (epoch ${row.epoch}); ${owner.node} (${owner.epoch}) owns it`,
          );
        }
      } else if (key.startsWith("base ")) isPruned = true;
    }
    if (isPruned) this.#checkRebuild(document);
    if (now !== before) this.#checkBlobs(document, now);
  }

  #checkTakeOver(document: string, { epoch, node }: OwnerRow): void {
    if (this.#epochs.get(document) === epoch) return;
    this.#epochs.set(document, epoch);
    const other = this.#readers(document).find((reader) => reader !== node);
    if (other !== undefined) throw new Violation(`${node} took ${document} over while ${other} answered reads`);
  }

  /** Derives the content at the head from the rows, and compares it with what the owners had. */
  #contentAtHead(document: string): Content {
    const owner = this.#database.get(`owner ${document}`);
    if (!owner || owner.head === 0) return this.#empty(document);
    const row = this.#database.get(`log ${document} ${owner.head}`);
    const base = owner.baseRef === null ? undefined : this.#database.get(`base ${owner.baseRef}`);
    if (!row) {
      if (base?.seq === owner.head) return base.content;
      throw new Violation(`the log of ${document} has no row at its head ${owner.head}`);
    }
    const previous = this.#database.get(`log ${document} ${row.seq - 1}`);
    const isFirst = previous === undefined;
    const from = previous?.content ?? row.content.parent;
    if (!from || from.with(row.change) !== row.content || (!isFirst && row.previousChecksum !== previous.checksum)) {
      throw new Violation(`the owner of ${document} had another content than the log at ${row.seq}`);
    }
    return row.content;
  }

  #logged(content: Content): void {
    const { change } = content;
    content.wasLogged = true;
    if (!change) return;
    const before = this.#tokens.get(change.token);
    if (before && before !== content && content.includes(before))
      throw new Violation(`the write ${change.token} was applied twice`);
    if (this.#refused.has(change.token)) throw new Violation(`the write ${change.token} was refused and then applied`);
    this.#tokens.set(change.token, content);
  }

  #checkRebuild(document: string): void {
    const owner = this.#database.get(`owner ${document}`);
    if (!owner) return;
    if (owner.baseRef !== null && !hasChunks(this.#database, owner.baseRef)) {
      throw new Violation(`the base of ${document} is not complete`);
    }
    for (let seq = owner.baseSeq + 1; seq <= owner.head; seq++) {
      if (!this.#database.get(`log ${document} ${seq}`))
        throw new Violation(`the log of ${document} lacks row ${seq} after its base`);
    }
  }

  #checkBlobs(document: string, content: Content): void {
    for (const hash of content.attachments) {
      if (!this.#database.get(`blob ${document} ${hash}`))
        throw new Violation(`${document} names attachment ${hash}, which is not stored`);
    }
  }

  #checkDeletedBlob(document: string, hash: string): void {
    this.figures.deletions++;
    if (this.#database.get(`owner ${document}`) && this.logContent(document).attachments.has(hash)) {
      throw new Violation(`attachment ${hash} of ${document} was deleted while a row names it`);
    }
  }

  #checkDeletedDocument(document: string): void {
    if (this.logContent(HOME).documents.has(document))
      throw new Violation(`${document} was deleted while home names it`);
    this.#deleted.add(document);
  }

  /** Acknowledged contents must be in the log, unless a failover lost them. */
  checkAcknowledged(): void {
    for (const [document, content] of this.#acknowledged) {
      if (!this.#database.get(`owner ${document}`) || this.#lost.has(content)) continue;
      if (!this.logContent(document).includes(content))
        throw new Violation(`an acknowledged write of ${document} is gone`);
    }
    this.#acknowledged = [];
  }
}

/** The newest content that both have. */
function common(a: Content, b: Content): Content {
  let content = a;
  while (!b.includes(content) && content.parent) content = content.parent;
  return content;
}
