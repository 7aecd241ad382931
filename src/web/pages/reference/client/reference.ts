/** The API reference: copies examples, and puts the reader's key into them on request. */
import { initKeyPanel } from "../../../base/client/api-key/panel.ts";

initKeyPanel();
