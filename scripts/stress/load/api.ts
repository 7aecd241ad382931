/** Requests to the server, by somebody. */
export interface Api {
  /** @throws Refused for any other status than 200; another error when the server is gone */
  send<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The bytes that an address answers. */
  bytes(path: string): Promise<Uint8Array>;
}

export class RequestRefused extends Error {
  readonly status: number;

  constructor(what: string, status: number) {
    super(what);
    this.status = status;
  }

  /** The server says that nothing was done and that it may be asked again. */
  get isBusy(): boolean {
    return this.status === 429 || this.status === 503;
  }
}

export function createApi(address: string, key: string): Api {
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${address}/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(!isForm && { "Content-Type": "application/json" }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    if (response.status === 200) return response;
    throw new RequestRefused(`${method} ${path}: ${response.status} ${await response.text()}`, response.status);
  };
  return {
    send: async <T>(method: string, path: string, body?: unknown) =>
      (await ask(method, path, body)).json() as Promise<T>,
    bytes: async (path) => (await ask("GET", path)).bytes(),
  };
}
