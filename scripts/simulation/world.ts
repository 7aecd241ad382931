import { createRandom, type Random } from "../stress/random.ts";
import { Checker } from "./checker.ts";
import { Checksums, Content } from "./content.ts";
import { Database } from "./database.ts";
import type { NodeProcess } from "./process.ts";
import { Scheduler } from "./scheduler.ts";
import { HOME, newOwnerRow } from "./statements.ts";
import type { Variant } from "./variants.ts";

/** Everything that the parts of one simulation share. */
export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly database: Database;
  readonly checksums = new Checksums();
  readonly checker: Checker;
  readonly variant: Variant | null;
  processes: NodeProcess[] = [];
  /** Documents that clients use. */
  documents: string[] = [];
  /** After the last failure: clients create and delete no documents. */
  isRecovering = false;
  /** When a client got the last positive answer about a document. */
  readonly answeredAtMs = new Map<string, number>();
  /** All documents whose creation was begun. */
  readonly swept = new Set<string>();
  readonly #empty = new Map<string, Content>();
  #ids = 0;

  constructor(seed: number, variant: Variant | null) {
    this.random = createRandom(seed);
    this.scheduler = new Scheduler(this.random);
    this.database = new Database(this.scheduler);
    this.variant = variant;
    this.checker = new Checker(
      this.database,
      (document) => this.empty(document),
      (document) => this.processes.filter((process) => process.mayRead(document)).map(({ nodeId }) => nodeId),
    );
    this.database.onCommit = (keys) => this.checker.committed(keys);
    this.database.initialize(`owner ${HOME}`, newOwnerRow(0));
  }

  newId(prefix: string): string {
    this.#ids++;
    return `${prefix}${this.#ids}`;
  }

  newToken(): number {
    this.#ids++;
    return this.#ids;
  }

  /** The content of a new document. */
  empty(document: string): Content {
    let content = this.#empty.get(document);
    if (!content) this.#empty.set(document, (content = Content.empty()));
    return content;
  }

  /** Documents that a sweep looks at: all that have a row. */
  documentsToSweep(): string[] {
    const found: string[] = [];
    for (const document of this.swept) if (this.database.get(`owner ${document}`)) found.push(document);
    return found;
  }
}
