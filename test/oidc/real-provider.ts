/** A real provider, oidc-provider with its pages for development, as a server of this process. */
import { createServer, type Server } from "node:http";
import { Provider, type Configuration } from "oidc-provider";

export interface RealProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly provider: Provider;
}

export interface RealProviderOptions {
  /** Addresses of callbacks. */
  readonly redirectUris: readonly string[];
  /** Null: a public client. */
  readonly clientSecret: string | null;
  readonly port: number;
}

/** Starts it. Its accounts are all logins: `ada` has the address `ada@example.com`. */
export async function startRealProvider({
  redirectUris,
  clientSecret,
  port,
}: RealProviderOptions): Promise<RealProvider> {
  const issuer = `http://127.0.0.1:${port}`;
  const configuration: Configuration = {
    clients: [
      {
        client_id: "quern",
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        ...(clientSecret === null
          ? { token_endpoint_auth_method: "none" }
          : { client_secret: clientSecret, token_endpoint_auth_method: "client_secret_post" }),
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    cookies: { keys: ["test"] },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: `${sub}@example.com`,
        email_verified: true,
        name: `${sub.charAt(0).toUpperCase()}${sub.slice(1)} Kern`,
        groups: ["sales"],
      }),
    }),
    pkce: { required: () => true },
  };
  const provider = new Provider(issuer, configuration);
  const handle = provider.callback();
  const server = createServer((request, response) => void handle(request, response));
  await listen(server, port);
  return {
    issuer,
    provider,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
