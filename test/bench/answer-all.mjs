import { createServer } from "node:net";

const answer = Buffer.from("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
const lengthField = /\r\ncontent-length: *(\d+)/i;

/**
 * A service that is far faster than whatever sends to it: raw sockets, one answer for each complete
 * request, nothing parsed but where it ends.
 */
export async function answerAll({ latencyMs = 0, onRequest = () => {} } = {}) {
  const server = createServer({ noDelay: true }, (socket) => {
    let kept;
    const reply = () => socket.write(answer);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      let bytes = kept === undefined ? chunk : Buffer.concat([kept, chunk]);
      for (;;) {
        const headEnd = bytes.indexOf("\r\n\r\n");
        if (headEnd < 0) break;
        const [, length = "0"] = lengthField.exec(bytes.latin1Slice(0, headEnd)) ?? [];
        const end = headEnd + 4 + Number(length);
        if (bytes.length < end) break;
        onRequest();
        if (latencyMs === 0) reply();
        else setTimeout(reply, latencyMs);
        bytes = bytes.subarray(end);
      }
      kept = bytes.length === 0 ? undefined : bytes;
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
