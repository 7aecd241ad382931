import type { Random } from "../random.ts";
import { type Api, RequestRefused } from "./api.ts";
import type { Ledger, State } from "./ledger.ts";

/** Access of clients to the running server. */
export interface Session {
  readonly api: Api;
  readonly random: Random;
  /** Returns the position in the disk recording; without a recording, any monotonic value. */
  position(): number;
}

/** One of several concurrent writers, each with its own data. */
export interface Client {
  readonly name: string;
  readonly ledger: Ledger;
  /** Sends one request of a random kind. */
  step(session: Session): Promise<void>;
  /**
   * Reads the server's state of this client and continues from it.
   * @throws Error if it is inconsistent
   */
  read(session: Session): Promise<State>;
}

/**
 * Sends a request that leads to a state, and records its acknowledgement.
 * @returns the response; undefined if the server was too busy and did nothing
 */
export async function write<T>(
  { ledger }: Pick<Client, "ledger">,
  { position }: Pick<Session, "position">,
  { after, send }: { after: State; send: () => Promise<T> },
): Promise<T | undefined> {
  const acknowledge = ledger.begin(after);
  try {
    const answer = await send();
    acknowledge(position());
    return answer;
  } catch (error) {
    if (!(error instanceof RequestRefused) || !error.isBusy) throw error;
    ledger.cancelLast();
    return undefined;
  }
}
