/** Markdown of cells, which the server parses: cells show their text until its tokens arrive. */
import { api } from "../../../../base/client/api.ts";
import type { MarkdownToken } from "../../../../../wire/documents/markdown.ts";

/** Limits of a request, as in the API. */
const MAX_TEXTS = 200;
const MAX_TEXT_LENGTH = 20_000;
const MAX_TOTAL_LENGTH = 200_000;

/** Texts that are kept; beyond it, all are read again. */
const MAX_CACHED = 2000;

/** Collects the texts of several cells. */
const COLLECT_MS = 50;

type DrawTokens = (element: HTMLElement, tokens: readonly MarkdownToken[], form: { isInline: boolean }) => void;

export class MarkdownTexts {
  readonly #docId: string;
  readonly #loaded: () => void;
  /** By text; null while it is read, and for texts that cannot be rendered. */
  readonly #tokens = new Map<string, readonly MarkdownToken[] | null>();
  #waiting: string[] = [];
  /** Loaded on first use. */
  #draw: DrawTokens | undefined;

  /** @param loaded called when tokens have arrived */
  constructor(docId: string, loaded: () => void) {
    this.#docId = docId;
    this.#loaded = loaded;
  }

  /** Renders a text. Returns false while it is not known; `loaded` is called later. */
  draw(element: HTMLElement, text: string, form: { isInline: boolean }): boolean {
    const tokens = this.#tokens.get(text);
    if (tokens === undefined) this.#request(text);
    if (!tokens || !this.#draw) return false;
    this.#draw(element, tokens, form);
    return true;
  }

  #request(text: string): void {
    if (this.#tokens.size >= MAX_CACHED) this.#tokens.clear();
    this.#tokens.set(text, null);
    if (text.length > MAX_TEXT_LENGTH) return;
    this.#waiting.push(text);
    if (this.#waiting.length === 1) setTimeout(() => void this.#load(), COLLECT_MS);
  }

  async #load(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      this.#draw ??= (await import("./markdown-elements.ts")).drawTokens;
      for (const texts of batches(waiting)) {
        const path = `/api/docs/${this.#docId}/markdown`;
        const answer = await api<{ texts: MarkdownToken[][] }>(path, { method: "POST", body: { texts } });
        for (const [at, text] of texts.entries()) this.#tokens.set(text, answer.texts[at] ?? null);
      }
    } catch {
      // The cells keep their texts; when they are drawn again, they try again.
      for (const text of waiting) if (this.#tokens.get(text) === null) this.#tokens.delete(text);
      return;
    }
    this.#loaded();
  }
}

function batches(texts: readonly string[]): string[][] {
  const all: string[][] = [];
  let length = Infinity;
  for (const text of texts) {
    const last = all.at(-1);
    if (!last || last.length >= MAX_TEXTS || length + text.length > MAX_TOTAL_LENGTH) {
      all.push([text]);
      length = text.length;
    } else {
      last.push(text);
      length += text.length;
    }
  }
  return all;
}
