/** Returns `scheme://host:port`; IPv6 addresses are put into brackets. */
export function serverAddress({ isTls, host, port }: { isTls: boolean; host: string; port: number }): string {
  return `${isTls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
