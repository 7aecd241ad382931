/** A user's requests to the server. */
export interface Api {
  /** @throws Refused for any status other than 200; another error if the server is down */
  send<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Returns the bytes of a response. */
  bytes(path: string): Promise<Uint8Array>;
}

export class RequestRefused extends Error {
  readonly status: number;

  constructor(what: string, status: number) {
    super(what);
    this.status = status;
  }

  /** True if the server rejected the request without effect and it can be retried. */
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
