import { guarded } from "../../lib/callbacks.ts";
import type { CommandStreams } from "../command.ts";

/** The parts of the standard streams of the process that are used here. */
export interface StandardStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Keys of a terminal in raw mode. */
const KEYS = { enter: "\r", newline: "\n", interrupt: "\u0003", end: "\u0004", backspace: "\u007f", delete: "\b" };

export function createStreams({ stdin, stdout, stderr }: StandardStreams): CommandStreams {
  let isClosed = false;
  stdout.on(
    "error",
    guarded(() => (isClosed = true)),
  );
  return {
    input: () => stdin,
    isInputTerminal: stdin.isTTY === true,
    columns: stdout.isTTY === true ? stdout.columns || null : null,
    write: (content) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(false);
        stdout.write(content, (error) => {
          isClosed ||= error !== null && error !== undefined;
          resolve(!isClosed);
        });
      }),
    askSecret: (question) => askSecret(question, stdin, stderr),
  };
}

/** Reads a line in raw mode, in which the terminal does not show it. */
async function askSecret(
  question: string,
  stdin: NodeJS.ReadStream,
  stderr: NodeJS.WriteStream,
): Promise<string | null> {
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    let line = "";
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (character === KEYS.enter || character === KEYS.newline) return line;
        if (character === KEYS.interrupt || character === KEYS.end) return null;
        if (character === KEYS.backspace || character === KEYS.delete) line = line.slice(0, -1);
        else line += character;
      }
    }
    return null;
  } finally {
    stdin.setRawMode(false);
    stderr.write("\n");
  }
}
