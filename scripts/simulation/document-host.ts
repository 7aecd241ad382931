import type { OwnershipState } from "../../src/cluster/protocol/attachment-contents.ts";
import type { Base, DocumentEffect, DocumentEvent } from "../../src/cluster/protocol/document-events.ts";
import type { LogHead } from "../../src/cluster/protocol/log-types.ts";
import { OwnedDocument } from "../../src/cluster/protocol/owned-document.ts";
import { Violation } from "./checker.ts";
import type { Change, Content } from "./content.ts";
import type { LogRow } from "./database.ts";
import { HostAttachments } from "./host-attachments.ts";
import { type OpenDocument, openDocument } from "./opening.ts";
import type { NodeProcess } from "./process.ts";
import { type Answer, type Outcome, type Request, UNKNOWN } from "./requests.ts";
import * as statements from "./statements.ts";

interface Waiting {
  readonly seq: number;
  readonly request: Request;
  readonly content: Content;
  readonly hash: string | null;
}

/** A document in a process: acquires and opens it for the first request, and performs what the machine decides. */
export class DocumentHost {
  readonly document: string;
  readonly #process: NodeProcess;
  #state: "opening" | "open" | "over" = "opening";
  #queue: Request[] = [];
  #machine: OwnedDocument | null = null;
  #epoch = 0;
  #content: Content;
  /** Of the local file's last commit, and of all commits of this opening. */
  #lastContentEpoch = "";
  readonly #contentEpoch: string;
  readonly #rows = new Map<number, LogRow>();
  #waiting: Waiting[] = [];
  readonly #attachments: HostAttachments;
  /** In home: documents that are being created. */
  readonly #creating = new Set<string>();

  constructor(process: NodeProcess, document: string) {
    this.#process = process;
    this.document = document;
    this.#contentEpoch = process.world.newId("e");
    this.#content = process.world.empty(document);
    this.#attachments = new HostAttachments(process, this);
    openDocument(process, document, {
      isOver: () => this.#state === "over",
      opened: (open) => this.#opened(open),
      failed: (outcome) => this.#end(outcome),
      diverged: () => this.#diverged("logWentBackwards"),
    });
  }

  get owner(): statements.Owner {
    return { document: this.document, node: this.#process.nodeId, epoch: this.#epoch };
  }

  request(request: Request): void {
    if (this.#state === "opening") this.#queue.push(request);
    else if (this.#state === "over") request.answer({ kind: "refused" });
    else if (request.action.kind === "read") this.#read(request);
    else this.#write(request);
  }

  handle(event: DocumentEvent): void {
    if (this.#state !== "open" || !this.#machine) return;
    for (const effect of this.#machine.handle(event)) this.#perform(effect);
  }

  leaseLost(): void {
    if (this.#machine) this.handle({ kind: "leaseLost" });
    else this.#end({ kind: "refused" });
  }

  identityChanged(): void {
    if (!this.#machine) return this.#end({ kind: "refused" });
    this.#attachments.identityChanged();
    this.handle({ kind: "identityChanged" });
  }

  /** Hands the document over, or closes it because it is idle. */
  close(): void {
    this.handle({ kind: "closeRequested" });
  }

  tick(): void {
    const { random } = this.#process.world;
    if (this.#state !== "open") return;
    this.#attachments.sweep();
    if (this.document === statements.HOME && random.chance(0.1)) this.#sweepDocuments();
  }

  #opened({ epoch, head, content, contentEpoch }: OpenDocument): void {
    const { folder, identity, isLeaseValid, world } = this.#process;
    if (!identity) return this.#end({ kind: "refused" });
    world.checker.opened(this.document, content);
    this.#state = "open";
    this.#epoch = epoch;
    this.#content = content;
    this.#lastContentEpoch = contentEpoch;
    folder.noteAcknowledged(this.document, { epoch, ...head }, identity);
    this.#machine = new OwnedDocument({ node: this.#process.nodeId, epoch, head, bytesSinceBase: 0, isLeaseValid });
    const queue = this.#queue;
    this.#queue = [];
    for (const request of queue) this.request(request);
  }

  #read(request: Request): void {
    const content = this.#content;
    const seq = this.#machine?.last.seq ?? 0;
    if (!this.mayRead || !this.#process.isLeaseValid) return request.answer({ kind: "refused" });
    this.#leave({ seq, request, content, hash: null });
  }

  #write(request: Request): void {
    const { action } = request;
    if (!this.#mayWrite()) return request.answer({ kind: "refused" });
    if (action.kind === "create") return this.#create(request);
    if (action.kind !== "add" || action.attachment === null) return this.#commit(request, null);
    this.#attachments.need(request, action.attachment);
  }

  #mayWrite(): boolean {
    return this.#state === "open" && this.#machine?.refusal === null && this.#process.isLeaseValid;
  }

  get mayRead(): boolean {
    return this.#state === "open" && (this.#machine?.mayRead ?? false);
  }

  get content(): Content {
    return this.#content;
  }

  get ownership(): OwnershipState {
    return this.#machine ?? { acknowledged: { seq: 0 }, mayRead: false };
  }

  get #acknowledgedSeq(): number {
    return this.#machine?.acknowledged.seq ?? 0;
  }

  isOpen(): boolean {
    return this.#state === "open";
  }

  commit(request: Request, hash: string): void {
    if (this.#mayWrite()) return this.#commit(request, hash);
    this.#attachments.used(hash);
    request.answer({ kind: "refused" });
  }

  #create(request: Request): void {
    const { token } = request;
    const created = `d${token}`;
    this.#creating.add(created);
    this.#process.world.swept.add(created);
    this.#process.call(statements.createDocument(created), (result) => {
      if (result === true && this.#mayWrite()) return this.#commit(request, null);
      this.#creating.delete(created);
      request.answer({ kind: "refused" });
    });
  }

  #commit(request: Request, hash: string | null): void {
    const { world, folder } = this.#process;
    const change = changeOf(request, this.#content);
    const machine = this.#machine;
    if (!machine || !change) return request.answer({ kind: "refused" });
    const { seq: before, checksum: previousChecksum } = machine.last;
    const seq = before + 1;
    const isLarge = world.random.chance(0.02);
    const contentEpoch = this.#contentEpoch;
    const checksum = world.checksums.chain(previousChecksum, {
      epoch: this.#epoch,
      seq,
      contentEpoch,
      token: isLarge ? null : change.token,
    });
    const content = this.#content.with(change);
    if (hash !== null) this.#attachments.named(hash);
    if (change.kind === "detach") this.#attachments.removed(change.attachment, seq);
    this.#content = content;
    this.#lastContentEpoch = contentEpoch;
    folder.write(this.document, { count: { epoch: contentEpoch, seq }, content });
    const { epoch, node } = this.owner;
    this.#rows.set(seq, { epoch, node, seq, contentEpoch, change, previousChecksum, checksum, content });
    const waiting = { seq, request, content, hash };
    if (world.variant === "answer-before-append") this.#answer(waiting);
    else this.#waiting.push(waiting);
    const bytes = isLarge ? null : 100_000 + world.random.below(3_000_000);
    this.handle({ kind: "committed", commit: { seq, checksum, bytes } });
  }

  /** Lets an answer leave once the log has what it saw. */
  #leave(waiting: Waiting): void {
    if (waiting.seq <= this.#acknowledgedSeq) this.#answer(waiting);
    else this.#waiting.push(waiting);
  }

  #answer({ request, content, hash }: Waiting): void {
    const { checker } = this.#process.world;
    checker.answered(this.document, content, request.action.kind !== "read");
    request.answer({ kind: "done", content });
    if (request.action.kind === "create") this.#creating.delete(`d${request.token}`);
    if (hash !== null) this.#attachments.used(hash);
  }

  #perform(effect: DocumentEffect): void {
    const { world, folder } = this.#process;
    switch (effect.kind) {
      case "append":
        return this.#append(effect);
      case "readHead": {
        const { attempt, acknowledged } = effect;
        const done = (head: Answer<LogHead | null>) =>
          this.handle(head === UNKNOWN ? { kind: "headUnreadable", attempt } : { kind: "headRead", attempt, head });
        return this.#process.call(statements.readHead(this.document, acknowledged), done, { everyAnswer: true });
      }
      case "retryLater": {
        const { attempt, failures } = effect;
        return this.#process.post(Math.min(50 * 2 ** failures, 1000), () => this.handle({ kind: "retryDue", attempt }));
      }
      case "release": {
        const { acknowledged } = effect;
        if (this.#process.identity) folder.noteAcknowledged(this.document, acknowledged, this.#process.identity);
        const leaving = this.#waiting.filter(({ seq }) => seq <= acknowledged.seq);
        this.#waiting = this.#waiting.filter(({ seq }) => seq > acknowledged.seq);
        for (const seq of this.#rows.keys()) if (seq <= acknowledged.seq) this.#rows.delete(seq);
        for (const waiting of leaving) this.#answer(waiting);
        return;
      }
      case "writeBase":
        return this.#writeBase(effect.attempt);
      case "pointBase": {
        const { attempt, base, advanceFrom } = effect;
        const done = (result: Answer<boolean>) =>
          this.handle({ kind: result === true ? "basePointed" : "basePointUnknown", attempt });
        return this.#process.call(statements.pointBase(this.owner, base, advanceFrom), done, { everyAnswer: true });
      }
      case "pruneLog":
        return this.#process.call(statements.pruneLog(this.owner, effect.base), () => undefined);
      case "acceptWrites":
      case "refuseWrites":
        return;
      case "fenced":
        return this.#end({ kind: "unknown" });
      case "diverged":
        if (effect.reason === "chainMismatch")
          throw new Violation(`the log of ${this.document} does not match the owner's checksums`);
        if (effect.reason === "documentMissing") return this.#end({ kind: "unknown" });
        world.checker.checkAlarm(this.document, this.#content.at(this.#acknowledgedSeq));
        return this.#diverged(effect.reason);
      case "closed": {
        if (this.#process.identity) folder.noteClosed(this.document, this.#process.identity);
        const owner = this.owner;
        this.#end({ kind: "refused" });
        return this.#giveAway(owner);
      }
    }
  }

  /** Half of the documents are handed over, which the next owner learns in any case; else any node may have them. */
  #giveAway(owner: statements.Owner): void {
    const { world } = this.#process;
    const release = () => this.#process.call(statements.releaseDocument(owner), () => undefined);
    const others = world.processes.filter((one) => one !== this.#process && one.nodeId !== "");
    if (others.length === 0 || world.random.chance(0.5)) return release();
    const successor = world.random.pick(others);
    this.#process.call(statements.handOverDocument(owner, successor.nodeId), (result) => {
      if (result === false) return release();
      if (result !== true) return undefined;
      world.checker.figures.handOvers++;
      const request = {
        document: owner.document,
        token: 0,
        action: { kind: "read" },
        answer: () => undefined,
      } as const;
      successor.post(1 + world.random.next() * 20, () => successor.request(request));
    });
  }

  #append({ attempt, after, last }: DocumentEffect & { kind: "append" }): void {
    const { variant } = this.#process.world;
    const rows: LogRow[] = [];
    for (let seq = after + 1; seq <= last; seq++) {
      const row = this.#rows.get(seq);
      if (row) rows.push(row);
    }
    const done = (result: Answer<boolean>) => {
      if (result === false && variant === "zero-rows-means-fenced") this.#end({ kind: "refused" });
      else this.handle({ kind: result === true ? "appended" : "appendUnknown", attempt });
    };
    this.#process.call(statements.append(this.owner, after, rows, variant), done, { everyAnswer: true });
  }

  /** Chunks, then reading them back; each in a statement of its own. */
  #writeBase(attempt: number): void {
    const { world } = this.#process;
    const position = this.#machine?.last;
    if (!position) return;
    const base: Base = { ref: world.newId("b"), ...position };
    const image = { ...position, contentEpoch: this.#lastContentEpoch, content: this.#content };
    const steps = [
      statements.beginBase(this.owner, base.ref, image),
      ...Array.from({ length: statements.CHUNKS }, (_, chunk) => statements.writeChunk(base.ref, chunk)),
      statements.readBase(base.ref),
    ];
    const next = (index: number) => {
      const step = steps[index];
      if (!step) return this.handle({ kind: "baseWritten", attempt, base });
      this.#process.call<boolean>(step, (result) => {
        if (this.#state !== "open") return;
        if (result === true) next(index + 1);
        else this.handle({ kind: "baseFailed", attempt });
      });
    };
    next(0);
    if (world.variant === "prune-before-base") {
      this.#process.call(statements.pruneAll(this.document, this.#acknowledgedSeq), () => undefined);
    }
  }

  #sweepDocuments(): void {
    const machine = this.#machine;
    if (!machine?.mayRead || machine.last.seq !== machine.acknowledged.seq) return;
    const seen = {
      head: machine.last.seq,
      content: this.#content,
      isBeingCreated: (document: string) => this.#creating.has(document),
    };
    for (const document of this.#process.world.documentsToSweep()) {
      this.#process.call(statements.sweepDocument(this.owner, seen, document), () => undefined);
    }
  }

  #diverged(reason: string): void {
    const { folder, world } = this.#process;
    world.checker.figures.diverged++;
    if (reason === "logWentBackwards") {
      const isDiscarded = world.variant === "discard-diverged-file";
      const content = folder.remove(this.document);
      if (content && isDiscarded) world.checker.replaced(this.document, content, null);
      if (content && !isDiscarded) folder.diverged.push({ document: this.document, content });
    }
    // An operator decides for the log after a while; the file stays under diverged/.
    this.#end({ kind: "unknown" });
  }

  #end(outcome: Outcome): void {
    if (this.#state === "over") return;
    this.#state = "over";
    if (this.#process.hosts.get(this.document) === this) this.#process.hosts.delete(this.document);
    for (const { request } of this.#waiting)
      request.answer({ kind: outcome.kind === "refused" ? "refused" : "unknown" });
    const isMoved = outcome.kind === "moved";
    for (const request of this.#queue) request.answer(isMoved ? outcome : { kind: "refused" });
    this.#waiting = [];
    this.#queue = [];
    this.#attachments.refuse();
  }
}

/** What a request does to a content; null for a read. */
function changeOf({ token, action }: Request, content: Content): Change | null {
  const [attachment = null] = content.attachments;
  if (action.kind === "detach" && attachment !== null) return { kind: "detach", token, attachment };
  if (action.kind === "create") return { kind: "createDocument", token, document: `d${token}` };
  if (action.kind === "delete") return { kind: "deleteDocument", token, document: action.target };
  if (action.kind === "read") return null;
  return { kind: "add", token, attachment: action.kind === "add" ? action.attachment : null };
}
