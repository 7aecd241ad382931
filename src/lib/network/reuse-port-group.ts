/** Selects which of several sockets that listen on the same port (`SO_REUSEPORT`) gets new connections. Linux only. */
import { dlopen, ptr } from "bun:ffi";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The C library of glibc, and of musl. */
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/** Constants of Linux on x64 and arm64. */
const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
/** The instruction of a socket filter that returns a constant. */
const BPF_RET = 0x06;

/**
 * The sockets of this process on one port. The kernel spreads new connections over them, and when a socket closes it
 * resets the connections that the socket has not accepted. Selecting another socket first prevents that.
 */
export class ReusePortGroup<Socket> {
  readonly #port: number;
  /** In the order of the kernel's list. */
  readonly #sockets: Socket[];

  constructor(port: number, first: Socket) {
    this.#port = port;
    this.#sockets = [first];
  }

  /** Adds a socket, directly after it began to listen. */
  add(socket: Socket): void {
    this.#sockets.push(socket);
  }

  /** Removes a socket, directly after it was closed. Idempotent. */
  remove(socket: Socket): void {
    const index = this.#sockets.indexOf(socket);
    if (index < 0) return;
    const last = this.#sockets.pop();
    // The kernel fills the gap with the last one.
    if (last !== undefined && index < this.#sockets.length) this.#sockets[index] = last;
  }

  /** Gives all new connections to one socket; returns false where this is not possible. */
  select(socket: Socket): boolean {
    const index = this.#sockets.indexOf(socket);
    try {
      // The program of any socket applies to all of them.
      const [descriptor] = listeningDescriptors(this.#port);
      return descriptor !== undefined && attachFilter(descriptor, index) === 0;
    } catch {
      return false;
    }
  }
}

/** Attaches the program `return index` by `setsockopt`. Returns 0 if it succeeded. */
function attachFilter(descriptor: number, index: number): number {
  const instruction = new DataView(new ArrayBuffer(8));
  instruction.setUint16(0, BPF_RET, true);
  instruction.setUint32(4, index, true);
  // struct sock_fprog: the number of instructions, padding, and their address.
  const program = new BigUint64Array([1n, BigInt(ptr(instruction))]);
  const { setsockopt } = openLibrary().symbols;
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), program.byteLength);
}

function openLibrary() {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, { setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" } });
    } catch {
      // The other library.
    }
  }
  throw new Error("no C library was found");
}

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTENING = "0A";

/** Returns the file descriptors of this process that listen on a port. */
function listeningDescriptors(port: number): number[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const links = new Set<string>();
  // The second one does not exist where IPv6 is off.
  for (const table of ["/proc/self/net/tcp", "/proc/self/net/tcp6"].filter((path) => existsSync(path))) {
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === LISTENING && local?.endsWith(suffix)) links.add(`socket:[${inode}]`);
    }
  }
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => links.has(linkOf(descriptor)));
}

/** Returns what a file descriptor refers to; an empty text if it was closed meanwhile. */
function linkOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
