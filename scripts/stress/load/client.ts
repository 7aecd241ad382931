import type { Random } from "../random.ts";
import { type Api, RequestRefused } from "./api.ts";
import type { Ledger, State } from "./ledger.ts";

/** What clients work with while the server runs. */
export interface Session {
  readonly api: Api;
  readonly random: Random;
  /** How far the record of the disk is; without one, anything that does not go back. */
  position(): number;
}

/** One of those who write at the same time, each to things of their own. */
export interface Client {
  readonly name: string;
  readonly ledger: Ledger;
  /** Sends one request, of a kind picked by chance. */
  step(session: Session): Promise<void>;
  /**
   * What the server holds of this client now; from then on it goes on from there.
   * @throws Error when it contradicts itself
   */
  read(session: Session): Promise<State>;
}

/**
 * Sends what leads to a state, and notes when it is acknowledged.
 * @returns the answer; undefined when the server was too busy and did nothing
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
