import {
  chooseStore,
  externalStores,
  storeKind,
  transferAll,
  transferStatus,
} from "../../services/attachments/attachment-transfers.ts";
import { ExternalStores, StoreChoice, StoreKind, TransferStatus } from "../../wire/attachments/attachment-stores.ts";
import { DocParams } from "../../wire/common/params.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/attachments";
const tag = "attachments";

/** Where the contents of attachments are kept. */
export const attachmentStoreRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/store`,
      id: "describeAttachmentStore",
      tag,
      summary: "Tell where new attachments are kept",
      about:
        "`internal`: in the document's file, large ones in a folder beside it. `external`: in the server's bucket.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      response: StoreKind,
    },
    async ({ ctx, grant }) => jsonResponse(await storeKind(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/store`,
      id: "chooseAttachmentStore",
      tag,
      summary: "Choose where new attachments are kept",
      about: "Those that are there stay where they are until `transferAll`.",
      access: documentContentAccess("owners"),
      params: DocParams,
      body: jsonBody(StoreKind),
      response: StoreChoice,
    },
    async ({ ctx, grant, body }) => jsonResponse(await chooseStore(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path: `${path}/stores`,
      id: "listAttachmentStores",
      tag,
      summary: "List the external stores that the server has",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: ExternalStores,
    },
    ({ ctx }) => jsonResponse(externalStores(ctx)),
  ),
  route(
    {
      method: "post",
      path: `${path}/transferAll`,
      id: "transferAttachments",
      tag,
      summary: "Move all attachments to where new ones are kept",
      about: "Begins the move and answers how far it is; they can be read all the time.",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: TransferStatus,
    },
    async ({ ctx, grant }) => jsonResponse(await transferAll(ctx, grant)),
  ),
  route(
    {
      method: "get",
      path: `${path}/transferStatus`,
      id: "describeAttachmentTransfer",
      tag,
      summary: "Tell how far moving attachments is, and where they are",
      access: documentContentAccess("viewers"),
      params: DocParams,
      response: TransferStatus,
    },
    async ({ ctx, grant }) => jsonResponse(await transferStatus(ctx, grant)),
  ),
];
