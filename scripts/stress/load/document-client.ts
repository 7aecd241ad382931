import type { Client, Session } from "./client.ts";
import { Ledger, type State } from "./ledger.ts";

/** A client whose data is in one document. */
export abstract class DocumentClient implements Client {
  readonly ledger = new Ledger();
  readonly name: string;
  /** API path of the document. */
  protected readonly path: string;

  constructor(document: string, name: string) {
    this.path = `/docs/${document}`;
    this.name = name;
  }

  abstract step(session: Session): Promise<void>;
  abstract read(session: Session): Promise<State>;
}
