/** What somebody has on the server: names of things, with all that matters of each as a text. */
export type State = ReadonlyMap<string, string>;

interface Step {
  readonly after: State;
  /** How far the record of the disk was when the answer came; null when none came. */
  ackedAt: number | null;
}

/**
 * What one client has written, request by request, each sent when the one before was answered. So the server has to hold
 * what was acknowledged, or that and all of the one request that was under way.
 */
export class Ledger {
  #checkpointState: State = new Map();
  #steps: Step[] = [];

  /** As it is if all that was sent was done. */
  get state(): State {
    return this.#steps.at(-1)?.after ?? this.#checkpointState;
  }

  /** How many requests were acknowledged since it was settled. */
  get acknowledged(): number {
    return this.#steps.filter(({ ackedAt }) => ackedAt !== null).length;
  }

  /** To be called before a request that leads to this state; what it gives, once it is acknowledged. */
  begin(after: State): (ackedAt: number) => void {
    const step: Step = { after, ackedAt: null };
    this.#steps.push(step);
    return (ackedAt) => {
      step.ackedAt = ackedAt;
    };
  }

  /** The last request is known to have changed nothing. */
  cancelLast(): void {
    this.#steps.pop();
  }

  /** Everything that was there at any time in what was acknowledged by then. */
  namesUntil(position: number): Set<string> {
    return new Set(this.#acknowledgedStates(position).flatMap((state) => [...state.keys()]));
  }

  /** Says what is wrong with what was found, when the server was cut off at that position of the record. */
  findContradiction(found: State, position: number): string | undefined {
    const acked = this.#acknowledgedStates(position);
    const last = acked.at(-1) ?? this.#checkpointState;
    const under = this.#steps[acked.length - 1]?.after;
    if (isEqual(found, last) || (under && isEqual(found, under))) return undefined;
    return `acknowledged: ${difference(last, found)}${under ? `; with what was under way: ${difference(under, found)}` : ""}`;
  }

  /** From here it goes on. */
  checkpoint(found: State): void {
    this.#checkpointState = found;
    this.#steps = [];
  }

  /** The states that were acknowledged by then, the settled one first. */
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
    ...[...found].filter(([name]) => !expected.has(name)).map(([name]) => `${name} is too many`),
    ...[...expected]
      .filter(([name, text]) => found.has(name) && found.get(name) !== text)
      .map(([name, text]) => `${name} is ${short(found.get(name) ?? "")} for ${short(text)}`),
  ];
  return `${all.slice(0, 5).join(", ")}${all.length > 5 ? ` and ${all.length - 5} more` : ""}`;
}
