/** The cards that are drawn. A card stays with its row when that moves, so that input in it is not lost. */
import type { RecordJson } from "../../../../base/table-data.ts";
import type { Card, ShownCard } from "./card.ts";

export interface CardDrawing {
  readonly list: HTMLElement;
  readonly createCard: () => Card;
  readonly idOf: (id: number) => number;
  readonly mayReturn: (row: RecordJson) => boolean;
}

export class CardSet {
  #shown: readonly Card[] = [];
  /** Fields grow with their input, and once Markdown and images are loaded. */
  readonly #heights: ResizeObserver;

  constructor(resized: () => void) {
    this.#heights = new ResizeObserver(resized);
  }

  get shown(): readonly Card[] {
    return this.#shown;
  }

  at(index: number): Card | undefined {
    return this.#shown.find((card) => card.index === index);
  }

  cardOf(target: EventTarget | null): Card | undefined {
    return target instanceof Node ? this.#shown.find(({ element }) => element.contains(target)) : undefined;
  }

  draw(entries: readonly ShownCard[], { list, createCard, idOf, mayReturn }: CardDrawing): void {
    const former = new Map(this.#shown.map((card) => [card.row ? idOf(card.row.id) : `at ${card.index}`, card]));
    // A row that moved can be at two places until both are loaded again: one card stays with it.
    const placed = entries.map((entry) => {
      const key = entry.row ? idOf(entry.row.id) : `at ${entry.index}`;
      const card = former.get(key);
      former.delete(key);
      return { entry, card };
    });
    const stays = new Set(placed.map(({ card }) => card));
    const free: Card[] = [];
    const kept: Card[] = [];
    for (const card of this.#shown.filter((each) => !stays.has(each))) {
      // The focus would be on another row.
      if (!card.isEditing && card.hasFocus) this.#remove(card, () => card.element.remove());
      else if (!card.isEditing) free.push(card);
      else if (card.row && mayReturn(card.row)) kept.push(card);
      else this.#remove(card, () => card.end());
    }
    const cards = placed.map(({ entry, card: own }) => {
      const card = own ?? free.pop() ?? this.#add(createCard());
      card.show(entry);
      return card;
    });
    for (const card of free) this.#remove(card, () => card.element.remove());
    this.#shown = [...cards, ...kept];
    arrange(
      list,
      cards.map(({ element }) => element),
    );
  }

  #add(card: Card): Card {
    this.#heights.observe(card.body);
    return card;
  }

  #remove(card: Card, remove: () => void): void {
    this.#heights.unobserve(card.body);
    remove();
  }
}

/** Puts elements in order without moving the one with the focus, which would lose it. */
function arrange(list: HTMLElement, elements: readonly HTMLElement[]): void {
  const at = Math.max(
    0,
    elements.findIndex((element) => element.contains(document.activeElement)),
  );
  const fixed = elements[at];
  if (!fixed) return;
  if (fixed.parentNode !== list) list.append(fixed);
  let next: HTMLElement = fixed;
  for (const element of elements.slice(0, at).toReversed()) {
    if (element.nextSibling !== next) next.before(element);
    next = element;
  }
  let previous: HTMLElement = fixed;
  for (const element of elements.slice(at + 1)) {
    if (previous.nextSibling !== element) previous.after(element);
    previous = element;
  }
}
