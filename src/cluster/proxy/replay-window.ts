import { type Hop, MAX_CLOCK_DIFFERENCE_MS } from "./hop.ts";

/** Hops of one sender may overtake this many others. */
const WINDOW_SIZE = 65_536;
/** Longer than any hop is valid: what is older is refused by its time. */
const SENDER_LIFETIME_MS = 4 * MAX_CLOCK_DIFFERENCE_MS;

interface Sender {
  highest: number;
  /** One bit for each serial number of the window, at its remainder. */
  readonly seen: Uint8Array;
  lastSeenMs: number;
}

/**
 * Accepts each hop once, in a fixed amount of memory for each sender. Hops name the receiving process, so none was sent
 * before it began.
 */
export class ReplayWindow {
  readonly #senders = new Map<string, Sender>();

  /** Returns false for a hop that was accepted before, or that more than 65,536 hops have overtaken. */
  accept({ sender: id, serial }: Pick<Hop, "sender" | "serial">, nowMs: number): boolean {
    let sender = this.#senders.get(id);
    if (!sender) {
      this.#removeOld(nowMs);
      sender = { highest: serial - 1, seen: new Uint8Array(WINDOW_SIZE / 8).fill(0), lastSeenMs: nowMs };
      this.#senders.set(id, sender);
    }
    sender.lastSeenMs = nowMs;
    if (serial <= sender.highest - WINDOW_SIZE) return false;
    if (serial > sender.highest) advance(sender, serial);
    else if (isSeen(sender, serial)) return false;
    mark(sender, serial);
    return true;
  }

  #removeOld(nowMs: number): void {
    for (const [id, { lastSeenMs }] of this.#senders) {
      if (nowMs - lastSeenMs > SENDER_LIFETIME_MS) this.#senders.delete(id);
    }
  }
}

/** Moves the window forward; its new numbers have not been seen. */
function advance(sender: Sender, serial: number): void {
  if (serial - sender.highest >= WINDOW_SIZE) sender.seen.fill(0);
  else for (let passed = sender.highest + 1; passed < serial; passed++) unmark(sender, passed);
  sender.highest = serial;
}

const place = (serial: number): readonly [at: number, bit: number] => {
  const at = serial % WINDOW_SIZE;
  return [at >> 3, 1 << (at & 7)];
};

function isSeen({ seen }: Sender, serial: number): boolean {
  const [at, bit] = place(serial);
  return ((seen[at] ?? 0) & bit) !== 0;
}

function mark({ seen }: Sender, serial: number): void {
  const [at, bit] = place(serial);
  seen[at] = (seen[at] ?? 0) | bit;
}

function unmark({ seen }: Sender, serial: number): void {
  const [at, bit] = place(serial);
  seen[at] = (seen[at] ?? 0) & ~bit;
}
