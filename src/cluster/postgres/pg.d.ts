/** The parts of the PostgreSQL driver that are used. Its package of types would change the bill of materials. */
declare module "pg" {
  export interface ClientConfig {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
    readonly ssl: false | object;
    readonly sslnegotiation: "postgres" | "direct";
    readonly enableChannelBinding: boolean;
    readonly application_name: string;
    readonly options?: string;
    readonly connectionTimeoutMillis: number;
    readonly keepAlive: boolean;
    readonly keepAliveInitialDelayMillis: number;
    readonly types: { getTypeParser(oid: number): (text: string) => unknown };
  }

  export interface QueryResult<Row> {
    readonly rows: Row[];
    /** Null for statements that have no count. */
    readonly rowCount: number | null;
  }

  export interface Notice {
    readonly severity?: string;
    readonly message?: string;
  }

  export interface Notification {
    readonly channel: string;
    readonly payload?: string;
  }

  /** The connection that a query of one's own is sent over. */
  export interface SubmittedConnection {
    readonly stream: { write(bytes: Uint8Array): unknown };
  }

  /** A query that sends its own messages, and gets the answers to them. */
  export interface Submittable {
    submit(connection: SubmittedConnection): void;
    handleDataRow(row: { readonly fields: readonly (string | null)[] }): void;
    handleCommandComplete(): void;
    handleReadyForQuery(): void;
    handleError(error: unknown): void;
  }

  export class Client {
    constructor(config: ClientConfig | string);
    /** As announced by the server when the connection was opened. */
    readonly processID: number | null;
    readonly connection: { readonly stream: { destroy(): void } };
    connect(): Promise<unknown>;
    query<Row>(
      query: string | { readonly name: string; readonly text: string; readonly values: unknown[] },
    ): Promise<QueryResult<Row>>;
    query(query: Submittable): unknown;
    end(): Promise<void>;
    on(event: "notice", listener: (notice: Notice) => void): this;
    on(event: "notification", listener: (notification: Notification) => void): this;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "end", listener: () => void): this;
  }
}
