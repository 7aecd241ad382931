/** A client's data on the server: names of objects, each with a text of all relevant properties. */
export type State = ReadonlyMap<string, string>;

interface Step {
  readonly after: State;
  /** Position in the disk recording when the response arrived; null without one. */
  ackedAt: number | null;
}

/**
 * The requests of one client, sent one at a time. So the server must have all acknowledged requests, and may have the
 * whole of the one in flight.
 */
export class Ledger {
  #checkpointState: State = new Map();
  #steps: Step[] = [];

  /** The state if all requests were applied. */
  get state(): State {
    return this.#steps.at(-1)?.after ?? this.#checkpointState;
  }

  /** Number of requests acknowledged since the last checkpoint. */
  get acknowledged(): number {
    return this.#steps.filter(({ ackedAt }) => ackedAt !== null).length;
  }

  /** Call before a request that leads to this state; call the returned function when it is acknowledged. */
  begin(after: State): (ackedAt: number) => void {
    const step: Step = { after, ackedAt: null };
    this.#steps.push(step);
    return (ackedAt) => {
      step.ackedAt = ackedAt;
    };
  }

  /** Records that the last request changed nothing. */
  cancelLast(): void {
    this.#steps.pop();
  }

  /** Returns all names that existed in any state acknowledged before that position. */
  namesUntil(position: number): Set<string> {
    return new Set(this.#acknowledgedStates(position).flatMap((state) => [...state.keys()]));
  }

  /**
   * Describes how the found state contradicts the ledger if the server was cut off at that position in the recording.
   */
  findContradiction(found: State, position: number): string | undefined {
    const acked = this.#acknowledgedStates(position);
    const last = acked.at(-1) ?? this.#checkpointState;
    const inFlight = this.#steps[acked.length - 1]?.after;
    if (isEqual(found, last) || (inFlight && isEqual(found, inFlight))) return undefined;
    return `acknowledged: ${difference(last, found)}${inFlight ? `; with the request in flight: ${difference(inFlight, found)}` : ""}`;
  }

  /** Continues from this state. */
  checkpoint(found: State): void {
    this.#checkpointState = found;
    this.#steps = [];
  }

  /** Returns the states acknowledged before that position, beginning with the checkpoint. */
  #acknowledgedStates(position: number): State[] {
    const open = this.#steps.findIndex(({ ackedAt }) => ackedAt === null || ackedAt > position);
    const steps = open === -1 ? this.#steps : this.#steps.slice(0, open);
    return [this.#checkpointState, ...steps.map(({ after }) => after)];
  }
}

const isEqual = (a: State, b: State): boolean =>
  a.size === b.size && [...a].every(([name, text]) => b.get(name) === text);

function difference(expected: State, found: State): string {
  const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const all = [
    ...[...expected].filter(([name]) => !found.has(name)).map(([name]) => `${name} is missing`),
    ...[...found].filter(([name]) => !expected.has(name)).map(([name]) => `${name} is unexpected`),
    ...[...expected]
      .filter(([name, text]) => found.has(name) && found.get(name) !== text)
      .map(([name, text]) => `${name} is ${short(found.get(name) ?? "")} for ${short(text)}`),
  ];
  return `${all.slice(0, 5).join(", ")}${all.length > 5 ? ` and ${all.length - 5} more` : ""}`;
}
