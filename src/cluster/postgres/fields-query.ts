import type { Submittable, SubmittedConnection } from "pg";

/** The columns of a row as text; null for SQL's null. */
export type Fields = readonly (string | null)[];

/**
 * A statement for the driver that has been prepared on the connection, without parameters and with at most one row. The
 * driver's own queries ask for a description of the columns each time, and convert values by it: for a statement that
 * runs once per request, that is half of its processor time.
 */
export class FieldsQuery implements Submittable {
  readonly #message: Uint8Array;
  readonly #outcome = Promise.withResolvers<Fields | null>();
  #fields: Fields | null = null;

  /** @param message as `executeMessage` */
  constructor(message: Uint8Array) {
    this.#message = message;
  }

  /** Resolves with the row, or null for none. Rejects with the error of the driver. */
  get outcome(): Promise<Fields | null> {
    return this.#outcome.promise;
  }

  submit({ stream }: SubmittedConnection): void {
    stream.write(this.#message);
  }

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    this.#fields = fields;
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#fields);
  }

  handleError(error: unknown): void {
    this.#outcome.reject(error);
  }
}

/** Returns the messages that execute a prepared statement without parameters: Bind, Execute and Sync. */
export function executeMessage(name: string): Uint8Array {
  const bytes = Buffer.from(`${name}\0`);
  const bind = Buffer.alloc(1 + 4 + 1 + bytes.length + 6);
  bind.write("B");
  bind.writeInt32BE(bind.length - 1, 1);
  // An empty name for the portal; no formats and values of parameters, and text for all columns.
  bytes.copy(bind, 6);
  const execute = Buffer.from("E\0\0\0\x09\0\0\0\0\0");
  const sync = Buffer.from("S\0\0\0\x04");
  return Buffer.concat([bind, execute, sync]);
}
