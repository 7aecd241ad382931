/** Limits of the lists of a report. */
const MAX_ITEMS_PER_LIST = 100;
const MAX_ITEMS = 1000;
const MAX_CHARACTERS = 1_000_000;

/** Bounds the lists of a report, of which all items are counted. */
export class ListBudget {
  #items = 0;
  #characters = 0;
  /** True once an item was left out. */
  isExceeded = false;

  /** Appends an item, unless the list or the report is full. */
  add<T>(list: T[], create: () => T): void {
    if (list.length >= MAX_ITEMS_PER_LIST || this.#items >= MAX_ITEMS || this.#characters >= MAX_CHARACTERS) {
      this.isExceeded = true;
      return;
    }
    const item = create();
    const characters = JSON.stringify(item).length;
    if (this.#characters + characters > MAX_CHARACTERS) {
      this.isExceeded = true;
      return;
    }
    this.#items++;
    this.#characters += characters;
    list.push(item);
  }
}
