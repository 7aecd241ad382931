/** What clients know about a write: it was acknowledged, refused without effect, or its outcome is unknown. */
export type TokenOutcome = "acknowledged" | "refused" | "unknown";

/** Writes that carry a unique token each, and are sent once: without retries. */
export class TokenHistory {
  readonly #outcomes = new Map<string, TokenOutcome>();
  #sent = 0;
  #acknowledged = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Number of writes with an unknown outcome. */
  get unknown(): number {
    return [...this.#outcomes.values()].filter((outcome) => outcome === "unknown").length;
  }

  /** Returns a new token. Its outcome is unknown until `settle`. */
  begin(kind: string): string {
    const token = `${kind}/${++this.#sent}`;
    this.#outcomes.set(token, "unknown");
    return token;
  }

  settle(token: string, outcome: TokenOutcome): void {
    this.#outcomes.set(token, outcome);
    if (outcome === "acknowledged") this.#acknowledged++;
  }

  /** Describes how the tokens of these kinds that were found contradict the history; empty if they do not. */
  findContradictions(found: Iterable<string>, kinds: readonly string[]): string[] {
    const counts = new Map<string, number>();
    for (const token of found) counts.set(token, (counts.get(token) ?? 0) + 1);
    const lost: string[] = [];
    const refused: string[] = [];
    for (const [token, outcome] of this.#outcomes) {
      if (!kinds.includes(token.split("/")[0] ?? "")) continue;
      if (outcome === "acknowledged" && !counts.has(token)) lost.push(token);
      if (outcome === "refused" && counts.has(token)) refused.push(token);
    }
    const doubled = [...counts].filter(([, count]) => count > 1).map(([token]) => token);
    const invented = [...counts.keys()].filter((token) => !this.#outcomes.has(token));
    return [
      describe(lost, "acknowledged but lost"),
      describe(doubled, "applied twice"),
      describe(refused, "refused but applied"),
      describe(invented, "never sent"),
    ].filter((problem) => problem !== "");
  }
}

const describe = (tokens: readonly string[], problem: string): string =>
  tokens.length === 0 ? "" : `${tokens.length} writes ${problem}: ${tokens.slice(0, 5).join(", ")}`;
