import type { Cluster, ReceivedHop } from "../../services/cluster.ts";
import type { Call } from "../call.ts";
import { jsonResponse } from "../responses.ts";

const PEER_PATH = "/cluster/";

/** True for calls between nodes, which exist only with a hop. */
export const isPeerCall = ({ request, path }: Call): boolean => request.method === "POST" && path.startsWith(PEER_PATH);

/** Answers a call of another node; null for an unknown name. @throws AppError */
export async function answerPeerCall(call: Call, cluster: Cluster, hop: ReceivedHop): Promise<Response | null> {
  const body = new Uint8Array(await call.request.arrayBuffer());
  const answer = cluster.answerCall(call.path.slice(PEER_PATH.length), body, hop);
  if (!answer) return null;
  call.accounting.template = `${PEER_PATH}{name}`;
  return jsonResponse((await answer) ?? null);
}
